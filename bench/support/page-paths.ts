import { randomNumbers } from '../engines/support/questions.ts';
import { BODIES, METRIC_COUNT, metricId } from '../synthetic-agents.ts';
import type { chooseAgents } from './fill-tested.ts';

export const PAGE_KINDS = ['directory', 'search with facets', 'tested agent', 'agent never tested'] as const;
export type PageKind = (typeof PAGE_KINDS)[number];

/** Without it `/` answers programs. A page is compressed for browsers, so it is here, too. */
export const AS_BROWSER = { accept: 'text/html', 'accept-encoding': 'gzip' } as const;

const SEED = 20_261_123;
/** Words of every agent and of few; the last one is misspelled. */
const WORDS = ['agent', 'sells', 'publishers', 'viewability', 'attention', 'v1990', 'viewabilitty'];
const FILTERS = ['', '&type=measurement', '&type=sales', '&verified=true'];

/**
 * So many paths of each kind, by a seed: the directory as it opens, searches by words, filters and metrics of which few
 * are alike, and agents from anywhere.
 */
export function pagePaths(
  { tested, untested }: ReturnType<typeof chooseAgents>,
  each: number,
): Readonly<Record<PageKind, readonly string[]>> {
  const random = randomNumbers(SEED);
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  const search = () => {
    const metric = random() < 0.5 ? `&metric_id=${metricId(Math.floor(random() * METRIC_COUNT))}` : '';
    const body = random() < 0.3 ? `&accreditation=${encodeURIComponent(pick(BODIES))}` : '';
    return `/?q=${pick(WORDS)}${pick(FILTERS)}${metric}${body}`;
  };
  const pageOf = (agent: string) => `/agents/${encodeURIComponent(agent)}`;
  const times = <T>(make: () => T) => Array.from({ length: each }, make);
  return {
    directory: times(() => '/'),
    'search with facets': times(search),
    'tested agent': times(() => pageOf(pick(tested))),
    'agent never tested': times(() => pageOf(pick(untested))),
  };
}
