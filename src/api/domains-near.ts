import { registrableDomain } from '../domain/domain-name.ts';
import type { Records } from '../ports/records.ts';
import { nearestDomains } from '../query/nearest.ts';
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

/** The host in what somebody pasted: an address has a scheme before it and a path behind it. */
export function hostIn(text: string): string {
  const bare = text.slice(0, 2_000).trim().toLowerCase();
  return bare
    .replace(/^[a-z]+:\/+/, '')
    .replace(/[/:?#].*$/s, '')
    .slice(0, 253);
}
