import { createHash } from 'node:crypto';
import type { AgentDocument } from '../../domain/agent-document.ts';
import type { AgentFilter, AgentQuery } from '../../domain/agent-query.ts';
import { type Condition, conditionsOf } from '../../query/filters.ts';
import { FACETS, type FacetName, VALUES, type ValueName } from '../../query/index-fields.ts';

/** A clause of OpenSearch's query language. Texts of a user stand in it only as values of `term`, `terms`, `wildcard`. */
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
  return { wildcard: { [loweredOf(condition.values)]: { value: containing(condition.containing) } } };
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
function exactTerm(value: string): string {
  const text = value.toWellFormed(); // UTF-8 has no lone surrogates
  if (Buffer.byteLength(text) <= MAX_TERM_BYTES && !text.startsWith(DIGEST)) return text;
  return DIGEST + createHash('sha256').update(text).digest('hex');
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
