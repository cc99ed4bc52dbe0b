import { yieldToEventLoop } from '../../base/event-loop.ts';
import type { FacetCount, FoundBlock } from '../../domain/agent-search.ts';
import { withoutAliases } from '../../index/query/search-filters.ts';
import { type AskedSearch, readSearchQuery } from '../../index/query/search-query.ts';
import { directoryPage, refusedPage } from '../../pages/directory/directory.ts';
import type { ListedAgent } from '../../pages/directory/result.ts';
import { withValue } from '../../pages/directory/search-form.ts';
import { withStrictFilters } from '../../pages/directory/strict-filters.ts';
import { searchAs } from '../operations/search-agents.ts';
import { searchParams } from '../parameters.ts';
import { HttpProblem, queryProblem } from '../problem.ts';
import { firstHealthDay, USUAL_HEALTH_DAYS } from '../render/health-history.ts';
import { isExpired, shownMatches } from '../render/matched-metrics.ts';
import { highlightsOf, type RankedAgent } from '../render/search-results.ts';
import { type KeptPage, keptPage, MAX_PAGE_BYTES } from './html-pages.ts';
import type { MadePage, PageSources } from './made-page.ts';

const USUAL = 20;
const MOST = 50;
/** Characters of all parameters except the cursor; each link of a page has them. */
const MAX_ASKED = 1_500;
/** Parameters that the page sets itself. */
const OF_THE_PAGE = ['facets', 'limit', 'cursor'];

/** `/`: the search as a page; for an invalid search, a page that names the invalid parameter. */
export async function madeDirectory(parts: PageSources, _: string, query: string): Promise<MadePage> {
  let asked = new URLSearchParams();
  try {
    // an empty field of the form is no filter
    asked = withoutAliases(new URLSearchParams([...searchParams(query)].filter(([, value]) => value !== '')));
    return { status: 200, ...(await foundPage(parts, asked)) };
  } catch (error) {
    if (!(error instanceof HttpProblem) || error.status >= 500) throw error;
    const { status, message: detail, details } = error;
    // the links of the page would be too long, too
    const shown = asked.toString().length > MAX_ASKED * 4 ? new URLSearchParams() : asked;
    return {
      status,
      ...keptPage(parts.site, refusedPage(parts.site, { asked: shown, detail, ...details })),
    };
  }
}

async function foundPage(parts: PageSources, parameters: URLSearchParams): Promise<KeptPage> {
  const { site, records } = parts;
  const now = parts.clock.now();
  const { asked, effective, query } = readAsked(parameters, now);
  for (let { limit } = query; ; ) {
    const found = await searchAs(parts, { ...query, limit }, now, listedAgent);
    const days = await records.agents.healthDays(
      found.results.map(({ url }) => url),
      { from: firstHealthDay(USUAL_HEALTH_DAYS, now), now },
    );
    await yieldToEventLoop();
    const searched = found.without_words ? withValue(asked, 'q', found.without_words.q) : asked;
    const pairs = await pairFacets(parts, searched, found.facets ?? {}, now);
    const page = directoryPage(site, {
      ...{ asked, effective, total: found.total, cursor: found.cursor, isFirst: query.cursor === undefined },
      agents: found.results.map((one) => {
        const health = days.get(one.url);
        const matched = one.matched_metrics ?? [];
        const more = { matched: shownMatches(matched), isExpired: isExpired(matched) };
        return { ...one, ...(health && { health }), ...more };
      }),
      facets: { ...found.facets, ...pairs },
      facetsCounted: found.facets_counted ?? 0,
      facetsExact: found.facets_exact ?? true,
      ...{ corrected: found.corrected ?? {}, nearest: found.nearest ?? [] },
      ...(found.ignored_words &&
        found.without_words && {
          ignored: { words: found.ignored_words, searched: found.without_words.q },
        }),
      ...(found.without_filters && { withoutFilters: found.without_filters }),
      jsonPath: jsonPath(effective, query, limit),
    });
    const kept = keptPage(site, page);
    if (kept.body.length <= MAX_PAGE_BYTES || limit === 1) return kept;
    // each try is another search: half of the agents, or fewer where they would not fit
    const fits = Math.floor((limit * MAX_PAGE_BYTES) / kept.body.length);
    limit = Math.max(1, Math.min(Math.ceil(limit / 2), fits));
  }
}

type Facets = Required<FoundBlock>['facets'];

/** Facets that depend on each other: one metric must have the accreditation. */
const PAIRS = { metric_id: 'accreditation', accreditation: 'metric_id' } as const;

/**
 * The counts of a metric or an accreditation as the next click finds them, where the other one is selected. Each of at most 20
 * values is one more count.
 */
async function pairFacets(
  { index }: Pick<PageSources, 'index'>,
  asked: URLSearchParams,
  facets: Facets,
  now: number,
): Promise<Facets> {
  const counted: Record<string, readonly FacetCount[]> = {};
  for (const [name, other] of Object.entries(PAIRS)) {
    if (!asked.has(other) || asked.has(name)) continue;
    const values: FacetCount[] = [];
    for (const { value } of facets[name] ?? []) {
      const read = readSearchQuery(withStrictFilters(withValue(asked, name, value)), now);
      if (!read.ok) return {};
      const { words, filter, sort } = read.query;
      const { total } = await index.find({ words, filter, sort, totalOnly: true });
      if (total.agents > 0) values.push({ value, count: total.agents });
      await yieldToEventLoop();
    }
    counted[name] = values.toSorted((a, b) => b.count - a.count);
  }
  return counted;
}

function readAsked(parameters: URLSearchParams, now: number) {
  const asked = new URLSearchParams([...parameters].filter(([name]) => !OF_THE_PAGE.includes(name)));
  const effective = withStrictFilters(asked);
  const given = withStrictFilters(parameters);
  given.set('facets', 'true');
  if (!given.has('limit')) given.set('limit', String(USUAL));
  const read = readSearchQuery(given, now);
  if (!read.ok) throw queryProblem(read.problem);
  if (asked.toString().length > MAX_ASKED)
    throw new HttpProblem(
      'value_too_long',
      `this page accepts ${MAX_ASKED} characters of parameters; GET /api/registry/agents/search accepts more`,
    );
  return { asked, effective, query: { ...read.query, limit: Math.min(read.query.limit, MOST) } };
}

function jsonPath(effective: URLSearchParams, { cursor }: AskedSearch, limit: number): string {
  const same = new URLSearchParams(effective);
  same.set('facets', 'true');
  same.set('limit', String(limit));
  if (cursor !== undefined) same.set('cursor', cursor);
  return `/api/registry/agents/search?${same.toString().replaceAll("'", '%27')}`;
}

export function listedAgent(
  { found: { url }, card, seen }: RankedAgent,
  _: AskedSearch,
  words: readonly string[],
): Omit<ListedAgent, 'matched'> {
  const { name, type, description, verified_roles, compliance_status, property_count, publisher_count } =
    card;
  return {
    ...{ url, name, type, status: compliance_status, verifiedRoles: verified_roles },
    ...(description !== undefined && { description }),
    ...(seen?.online !== undefined && { online: seen.online }),
    ...(seen?.lastSeenAt !== undefined && { seenAt: new Date(seen.lastSeenAt).toISOString() }),
    ...{ properties: property_count, publishers: publisher_count },
    has: highlightsOf(url, card, words),
  };
}
