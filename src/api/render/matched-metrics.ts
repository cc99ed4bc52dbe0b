import { isClaimValid } from '../../domain/accreditation-claim.ts';
import type { AgentFilter } from '../../domain/agent-query.ts';
import type { Capabilities, Metric } from '../../domain/capabilities.ts';
import { wordsOf } from '../../domain/text.ts';
import { isBeginning } from '../../index/query/search-words.ts';

/** A metric, alone or with one of its accreditations, and the filters that it met, in the names of the wire. */
export interface MatchedMetric {
  readonly metric_id: string;
  readonly accrediting_body?: string;
  /** YYYY-MM-DD, the last day; absent: the vendor declares none. */
  readonly valid_until?: string;
  /** Whether the accreditation has not expired; present with a body. */
  readonly valid?: boolean;
  /** The parameters that it met. */
  readonly met: readonly string[];
  /** In a search: the words that the metric or the body has. */
  readonly words?: readonly string[];
}

export interface MatchedFields {
  readonly matched_metrics: readonly MatchedMetric[];
  readonly matched_metrics_truncated?: true;
}

/** Maximum number of matches of an agent; those that met the most filters come first. */
const MAX_MATCHED = 10;

/**
 * The fields of a record for the metrics and bodies that met the filters. `today`: UTC, YYYY-MM-DD. The `words` of a search
 * replace `q`: each match lists those that it has, to distinguish a vendor that has them on different metrics.
 */
export function matchedFields(
  { measurement_capabilities: measured }: Partial<Capabilities>,
  filter: AgentFilter,
  today: string,
  words?: readonly string[],
): MatchedFields {
  const { metrics = [], metrics_truncated: isCut = false } = measured ?? {};
  const matched = metrics.flatMap((metric) => matchesOf(metric, filter, today, words));
  // with the same number of filters met, expired accreditations come last
  const rank = (match: MatchedMetric) => 2 * metBy(match).length + (match.valid === false ? 0 : 1);
  const best = matched.toSorted((a, b) => rank(b) - rank(a));
  return {
    matched_metrics: best.slice(0, MAX_MATCHED),
    ...((isCut || best.length > MAX_MATCHED) && { matched_metrics_truncated: true }),
  };
}

/** A match for people. */
export interface ShownMatch extends MatchedMetric {
  /** The parameters that it met, where another metric met the rest; words of the search replace `q`. */
  readonly part?: readonly string[];
}

/** The matches of one agent for pages and commands: those that met every filter with a valid accreditation, otherwise all. */
export function shownMatches(matched: readonly MatchedMetric[]): readonly ShownMatch[] {
  const asked = new Set(matched.flatMap(metBy));
  const shown = matched.map((match): ShownMatch => {
    const part = metBy(match);
    return part.length === asked.size ? match : { ...match, part };
  });
  const whole = shown.filter(({ part, valid }) => part === undefined && valid !== false);
  return whole.length > 0 ? whole : shown;
}

/** Whether each match that met the most is of an accreditation that has expired. */
export function isExpired(matched: readonly MatchedMetric[]): boolean {
  const most = Math.max(...matched.map((match) => metBy(match).length));
  const best = matched.filter((match) => metBy(match).length === most);
  return best.length > 0 && best.every(({ valid }) => valid === false);
}

function metBy({ met, words }: MatchedMetric): readonly string[] {
  return words === undefined ? met : [...words, ...met.filter((name) => name !== 'q')];
}

function matchesOf(
  metric: Metric,
  filter: AgentFilter,
  today: string,
  words: readonly string[] | undefined,
): readonly MatchedMetric[] {
  const { metric_id } = metric;
  const { metricIds, q, accreditations, accreditedOn } = filter;
  const ofMetric = metricIds?.includes(metric_id) ? ['metric_id'] : [];
  const inMetric = wordsIn(metric_id, words);
  const asksBody = accreditations !== undefined || accreditedOn !== undefined;
  const withBody = metric.accreditations.flatMap((accreditation): MatchedMetric[] => {
    const { accrediting_body, valid_until } = accreditation;
    const inBody = wordsIn(accrediting_body, words);
    if (!(asksBody ? (accreditations?.includes(accrediting_body) ?? true) : inBody.length > 0)) return [];
    const valid = isClaimValid(accreditation, today);
    const ofBody = [
      ...(accreditations === undefined ? [] : ['accreditation']),
      ...(accreditedOn !== undefined && valid ? ['accreditation_valid'] : []),
    ];
    const until = valid_until === undefined ? {} : { valid_until };
    return [{ metric_id, accrediting_body, ...until, valid, ...metOf([...inMetric, ...inBody], ofBody) }];
  });
  if (withBody.length > 0) return withBody;
  const alone: MatchedMetric = { metric_id, ...metOf(inMetric, []) };
  return alone.met.length === 0 ? [] : [alone];

  function metOf(found: readonly string[], ofBody: readonly string[]): Pick<MatchedMetric, 'met' | 'words'> {
    const isNamed = q === undefined ? found.length > 0 : metric_id.toLowerCase().includes(q);
    const met = [...ofMetric, ...(isNamed ? ['q'] : []), ...ofBody];
    return words === undefined ? { met } : { met, words: [...new Set(found)] };
  }
}

/** The words that a text has, also as the beginning of a longer word. */
export function wordsIn(text: string, words: readonly string[] = []): readonly string[] {
  if (words.length === 0) return [];
  const had = wordsOf(text);
  return words.filter((word) => had.some((one) => isBeginning(word, one)));
}
