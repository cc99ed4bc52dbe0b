import { hash } from 'node:crypto';
import type { AccreditationClaim } from '../../domain/accreditation-claim.ts';
import type { AgentDocument, SavedDocument } from '../../domain/agent-document.ts';
import { VERIFICATION_AXES } from '../../domain/compliance.ts';
import { labelsOf } from '../query/index-fields.ts';
import { recordGroups } from '../query/record-groups.ts';
import { searchDocument, TEXT_NAMES } from '../query/search-document.ts';

/**
 * An agent as OpenSearch stores it; its fields are those of `schemas/index/agents.json`. A drop is stored as an unlisted
 * document without fields, not deleted: OpenSearch forgets the version of a deleted document after a minute, and an older
 * write would bring the agent back.
 */
export function storedDocument({ agent, version, document }: SavedDocument): object {
  if (document === undefined) return { url: agent, seq: version, listed: false };
  return { url: agent, seq: version, listed: true, ...listFields(document), ...searchFields(document) };
}

/** The fields that the list filters by, and the JSON texts that a list returns. */
function listFields(document: AgentDocument) {
  const { type, base, badges, metricIds, accreditations, compliance, claims = [] } = document;
  return {
    type,
    ...(base.protocol !== null && { protocol: base.protocol }),
    compliance_status: compliance.status,
    verified: badges.length > 0,
    verification_mode: VERIFICATION_AXES.filter((axis) => badges.some(({ axes }) => axes.includes(axis))),
    badges,
    metric_id: metricIds.map(exactTerm),
    metric_id_lower: metricIds.flatMap(substringTerms),
    accreditation: accreditations.map(exactTerm),
    metrics: metricsOf(claims),
    ...recordGroups(document),
  };
}

/** The fields that only a search looks at, and the card that it returns. */
function searchFields(document: AgentDocument) {
  const { texts, card } = searchDocument(document);
  const labels = Object.entries(labelsOf(document));
  return {
    host: new URL(document.url).hostname,
    ...Object.fromEntries(labels.map(([name, values]) => [name, values.map(exactTerm)])),
    has_tmp: card.has_tmp,
    property_count: card.property_count,
    publisher_count: card.publisher_count,
    sort_name: card.name.toLowerCase().slice(0, 64).toWellFormed(),
    text: Object.fromEntries(TEXT_NAMES.map((field) => [field, texts[field].join(' ')])),
    card: JSON.stringify(card),
  };
}

interface StoredMetric {
  readonly metric_id: string;
  readonly metric_id_lower: readonly string[];
  readonly accreditations: { readonly accrediting_body: string; readonly valid_until?: string }[];
}

/** The metrics that have accreditations, each with its own. */
function metricsOf(claims: readonly AccreditationClaim[]): readonly StoredMetric[] {
  return [...Map.groupBy(claims, ({ metricId }) => metricId)].map(([id, ofMetric]) => ({
    metric_id: exactTerm(id),
    metric_id_lower: substringTerms(id),
    accreditations: ofMetric.map(({ body, validUntil }) => ({
      accrediting_body: exactTerm(body),
      ...(validUntil !== undefined && { valid_until: validUntil }),
    })),
  }));
}

/** Lucene refuses a document with a longer term (IndexWriter.MAX_TERM_LENGTH), bytes of UTF-8. */
const MAX_TERM_BYTES = 32_766;
const DIGEST = 'sha256:';

/** The term for an exact value: the value itself, or its digest if it is too long. */
export function exactTerm(value: string): string {
  return termWithin(value, MAX_TERM_BYTES);
}

/** The same for another limit, in bytes of UTF-8. */
export function termWithin(value: string, maxBytes: number): string {
  const text = value.toWellFormed(); // UTF-8 has no lone surrogates
  if (Buffer.byteLength(text) <= maxBytes && !isDigest(text)) return text;
  return DIGEST + hash('sha256', text);
}

export function isDigest(term: string): boolean {
  return term.startsWith(DIGEST);
}

/** Code units of one part of a long text; three bytes each at most. */
const PART = 8_192;
/** Parts overlap by more than the longest `q`: 64 characters, lower-cased, are at most 192 code units. */
const OVERLAP = 256;

/** A text in lower case for a `wildcard` field. The field reserves NUL, so a private-use character replaces it. */
export function substringText(text: string): string {
  return text.toLowerCase().toWellFormed().replaceAll('\0', '\u{f0000}');
}

/** The terms in which `q` is searched: the lower-cased value, or overlapping parts of it if it is too long for a term. */
function substringTerms(value: string): readonly string[] {
  const text = substringText(value);
  const parts: string[] = [];
  for (let start = 0; start === 0 || start + OVERLAP < text.length; start += PART - OVERLAP)
    parts.push(text.slice(start, start + PART).toWellFormed());
  return parts;
}
