import type { Answer, Question } from '../domain/authorisation-question.ts';
import { SITE_TYPES } from '../domain/declaration.ts';
import { registrableDomain } from '../domain/domain-name.ts';
import { nearestDomains } from '../index/query/nearest.ts';
import type { Records } from '../ports/records.ts';
import { beginOf } from './operations/graph/list-properties.ts';

/** Known domains that are compared with one that is not known. */
const MAX_COMPARED = 500;
/** Of the first label, as beginnings. */
const SHARES = [0.4, 0.7];

/** Domains with a file of this kind that begin alike, and those of the same owner, the nearest first. */
export async function domainsNear(
  { graph, brands }: Pick<Records, 'graph' | 'brands'>,
  kind: 'publishers' | 'brands',
  asked: string,
): Promise<readonly string[]> {
  const wanted = hostIn(asked);
  const read = async (begin: string, limit: number): Promise<readonly string[]> => {
    const after = beginOf(begin);
    if (kind === 'brands') return brands.domains({ after, skipped: 0, limit });
    return (await graph.publishers(after, limit)).map(({ domain }) => domain);
  };
  const bare = wanted.replace(/^www\./, '');
  // many may begin with the same letters: one that is mistyped further on stands among those with some more of its first label
  const { length } = bare.split('.', 1)[0] ?? '';
  const more = SHARES.map((share) => bare.slice(0, Math.ceil(length * share)));
  const begins = new Set([wanted.slice(0, 2), bare.slice(0, 3), ...more, registrableDomain(wanted)]);
  const lists = await Promise.all([...begins].map((begin) => read(begin, MAX_COMPARED)));
  return nearestDomains(wanted, [...new Set(lists.flat())]);
}

/** An answer with the known publishers that are spelt most like the one of its first reason, where that was never visited. */
export async function withDomainsNear(
  records: Pick<Records, 'graph' | 'brands'>,
  answer: Answer,
  { publisher, property }: Pick<Question, 'publisher' | 'property'> = {},
): Promise<Answer> {
  const [first, ...others] = answer.because;
  if (first?.code !== 'unknown_publisher' || first.nearest !== undefined) return answer;
  const site = property && 'type' in property && SITE_TYPES.has(property.type) ? property.value : undefined;
  const asked = first.publisher ?? publisher ?? site;
  const nearest = asked === undefined ? [] : await domainsNear(records, 'publishers', asked);
  return nearest.length === 0 ? answer : { ...answer, because: [{ ...first, nearest }, ...others] };
}

/** The host in a pasted URL or domain name. */
export function hostIn(text: string): string {
  const bare = text.slice(0, 2_000).trim().toLowerCase();
  return bare
    .replace(/^[a-z]+:\/+/, '')
    .replace(/[/:?#].*$/s, '')
    .slice(0, 253);
}
