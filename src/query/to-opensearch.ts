import { createHash } from 'node:crypto';
import type { AgentDocument } from '../domain/agent-document.ts';
import type { AgentFilter, AgentQuery } from '../domain/agent-query.ts';
import { type ActiveBadge, VERIFICATION_AXES, type VerificationAxis } from '../domain/compliance.ts';

/** What is asked of a document, in the fields of schemas/index/agents.json; the groups are only carried. */
export interface AgentFields {
  readonly type: string;
  readonly metric_ids: readonly string[];
  readonly metric_ids_lower: readonly string[];
  readonly accreditations: readonly string[];
  readonly badges: readonly string[];
}

/** A clause of OpenSearch's query language. Texts of a user stand in it only as values of `term`, `terms`, `wildcard`. */
export type QueryClause = Readonly<Record<string, unknown>>;

/** Lucene refuses a document with a longer term (IndexWriter.MAX_TERM_LENGTH), bytes of UTF-8. */
const MAX_TERM_BYTES = 32_766;
/** Code units of one piece of a long text; three bytes each at most. */
const PIECE = 8_192;
/** Pieces overlap by more than the longest `q`: 64 characters, lower-cased, are at most 192 code units. */
const OVERLAP = 256;
const DIGEST = '#sha256:';

/** The fields of a document that filters look at: the other side of `filterClause`. */
export function agentFields(document: AgentDocument): AgentFields {
  return {
    type: document.type,
    metric_ids: document.metricIds.map(exactTerm),
    metric_ids_lower: document.metricIds.flatMap((id) => pieces(id.toLowerCase().toWellFormed())),
    accreditations: document.accreditations.map(exactTerm),
    badges: [...new Set(document.badges.flatMap(badgeTerms))],
  };
}

/**
 * The clause that holds for exactly the listed documents that `matches` the filter (query/matches.ts). Filter context
 * only: nothing is scored.
 */
export function filterClause(filter: AgentFilter): QueryClause {
  const { type, metricIds, accreditations, q, verified, verificationModes } = filter;
  const clauses: QueryClause[] = [{ term: { listed: true } }];
  if (type !== undefined) clauses.push({ term: { type } });
  if (metricIds !== undefined) clauses.push({ terms: { metric_ids: metricIds.map(exactTerm) } });
  if (accreditations !== undefined)
    clauses.push({ terms: { accreditations: accreditations.map(exactTerm) } });
  if (q !== undefined) clauses.push({ wildcard: { metric_ids_lower: { value: containing(q) } } });
  if (verified) clauses.push({ term: { badges: badgeTerm([]) } });
  if (verificationModes !== undefined) clauses.push({ term: { badges: badgeTerm(verificationModes) } });
  return { bool: { filter: clauses } };
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

/** One term for each set of axes that the badge covers, the empty one included: a single badge meets all that is asked. */
function badgeTerms({ axes }: ActiveBadge): readonly string[] {
  const sets: VerificationAxis[][] = [[]];
  for (const axis of VERIFICATION_AXES) {
    if (axes.includes(axis)) sets.push(...sets.map((set) => [...set, axis]));
  }
  return sets.map(badgeTerm);
}

function badgeTerm(axes: readonly VerificationAxis[]): string {
  return axes.length === 0 ? 'any' : VERIFICATION_AXES.filter((axis) => axes.includes(axis)).join('+');
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
