import { hash } from 'node:crypto';
import { type AskedClaim, CLAIM_SEPARATOR, claimDay } from '../../domain/accreditation-claim.ts';
import type { AgentDocument } from '../../domain/agent-document.ts';
import type { AgentFilter, AgentQuery } from '../../domain/agent-query.ts';
import { type Condition, conditionsOf } from '../query/filters.ts';
import { FACETS, type FacetName, VALUES, type ValueName } from '../query/index-fields.ts';

/** A clause of OpenSearch's query language. Texts of a user stand in it only as values of `term`, `terms`, `wildcard`, `regexp`. */
export type QueryClause = Readonly<Record<string, unknown>>;

/** Lucene refuses a document with a longer term (IndexWriter.MAX_TERM_LENGTH), bytes of UTF-8. */
const MAX_TERM_BYTES = 32_766;
/** Code units of one piece of a long text; three bytes each at most. */
const PIECE = 8_192;
/** Pieces overlap by more than the longest `q`: 64 characters, lower-cased, are at most 192 code units. */
const OVERLAP = 256;
const DIGEST = '#sha256:';

type Lowered<Field extends ValueName> = (typeof VALUES)[Field]['askedByPart'] extends true
  ? `${Field}_lower`
  : never;
type FilterField = FacetName | ValueName | { [Field in ValueName]: Lowered<Field> }[ValueName];

/** A document's terms by the name of their field. */
export type AgentFields = Readonly<Record<FilterField, readonly string[]>>;

const FACET_NAMES = Object.keys(FACETS) as FacetName[];
const VALUE_NAMES = Object.keys(VALUES) as ValueName[];

/** The fields that filters look at: the mapping is strict and has just these. */
export const FILTER_FIELDS: readonly string[] = [
  ...FACET_NAMES,
  ...VALUE_NAMES.flatMap((field) => (VALUES[field].askedByPart ? [field, loweredOf(field)] : [field])),
];

/** What filters look at in a document: the other side of `filterClause`. */
export function agentFields(document: AgentDocument): AgentFields {
  const fields: Record<string, readonly string[]> = {};
  for (const facet of FACET_NAMES) fields[facet] = FACETS[facet].of(document);
  for (const field of VALUE_NAMES) {
    const values: readonly string[] = VALUES[field].of(document);
    fields[field] = values.map(exactTerm);
    if (VALUES[field].askedByPart)
      fields[loweredOf(field)] = values.flatMap((value) => pieces(value.toLowerCase().toWellFormed()));
  }
  return fields as AgentFields;
}

/**
 * The clause that holds for exactly the listed documents that `matches` the filter (query/matches.ts). Filter context
 * only: nothing is scored.
 */
export function filterClause(filter: AgentFilter): QueryClause {
  return { bool: { filter: [{ term: { listed: true } }, ...conditionsOf(filter).map(clauseOf)] } };
}

function clauseOf(condition: Condition): QueryClause {
  if ('facet' in condition) return { term: { [condition.facet]: condition.mark } };
  if ('anyOf' in condition) return { terms: { [condition.values]: condition.anyOf.map(exactTerm) } };
  if ('claim' in condition) return claimClause(condition.claim);
  return { wildcard: { [loweredOf(condition.values)]: { value: containing(condition.containing) } } };
}

/** Of Lucene's extensions only `<20261123-99999999>` is switched on: a number between two, of as many digits. */
function claimClause(asked: AskedClaim): QueryClause {
  const patterns = claimPatterns(asked);
  if (patterns.length === 0) return { terms: { claims: [] } }; // nobody
  return {
    bool: { should: patterns.map((value) => ({ regexp: { claims: { value, flags: 'INTERVAL' } } })) },
  };
}

/** The engine refuses a longer expression (index.max_regex_length). No claim that we read needs one. */
const MAX_PATTERN = 1_000;

/** The claims that meet what is asked for are those that one of these expressions describes as a whole. None: no claim does. */
function claimPatterns({ metricIds, part, bodies, on }: AskedClaim): readonly string[] {
  const ids = metricIds?.filter((id) => part === undefined || id.toLowerCase().includes(part));
  const metrics = ids?.map((id) => `${literal(id)}${CLAIM_SEPARATOR}${ANY}`) ?? [
    `${ANY}${CLAIM_SEPARATOR}${part === undefined ? ANY : `${ANY}${literal(part)}${ANY}`}`,
  ];
  const until = on === undefined ? ANY : `<${claimDay(on)}-99999999>`;
  return metrics
    .flatMap((metric) =>
      (bodies?.map(literal) ?? [ANY]).map((body) => [metric, body, until].join(CLAIM_SEPARATOR)),
    )
    .filter((pattern) => pattern.length <= MAX_PATTERN);
}

const ANY = `[^${CLAIM_SEPARATOR}]*`;

/** Every sign of ASCII that is neither letter nor digit may mean something to Lucene; with a backslash it is itself. */
function literal(text: string): string {
  return text.toWellFormed().replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

function loweredOf(field: ValueName): string {
  return `${field}_lower`;
}

/** The body of a search for one page, and one agent more to know whether others follow. */
export function searchBody({ filter, after, limit, total }: AgentQuery): Readonly<Record<string, unknown>> {
  return {
    query: filterClause(filter),
    sort: [{ url: 'asc' }],
    size: limit + 1,
    track_total_hits: total === true,
    ...(after !== undefined && { search_after: [after] }),
  };
}

/** A text that stands for exactly this value and is never too long; both sides of an exact comparison pass through it. */
export function exactTerm(value: string): string {
  const text = value.toWellFormed(); // UTF-8 has no lone surrogates
  if (Buffer.byteLength(text) <= MAX_TERM_BYTES && !text.startsWith(DIGEST)) return text;
  return DIGEST + hash('sha256', text);
}

/** The text itself, or pieces of it of which one holds whatever `q` the text holds. */
function pieces(text: string): readonly string[] {
  if (text.length <= PIECE) return [text];
  const starts = Array.from(
    { length: Math.ceil(text.length / (PIECE - OVERLAP)) },
    (_, at) => at * (PIECE - OVERLAP),
  );
  // a cut between the halves of a character makes no false hit: neither half is a text that can be asked for
  return starts.map((start) => text.slice(start, start + PIECE).toWellFormed());
}

/** `*`, `?` and `\` are the only characters that mean something in a wildcard; a backslash makes them literal. */
function containing(q: string): string {
  return `*${q.toWellFormed().replace(/[\\*?]/g, '\\$&')}*`;
}
