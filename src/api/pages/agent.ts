import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../../domain/agent-url.ts';
import { wordsOf } from '../../domain/text.ts';
import { agentPage, unknownAgentPage } from '../../pages/agent/agent.ts';
import { agentPublishersPage } from '../../pages/agent/publishers.ts';
import type { ListedAgent } from '../../pages/directory/result.ts';
import type { PageSite } from '../../pages/layout.ts';
import { agentPath } from '../../pages/texts.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { readSearchQuery } from '../../query/search-query.ts';
import { letOthersIn } from '../list-cache.ts';
import { publishersOfAgent } from '../operations/graph/agent-publishers.ts';
import { readPublishersQuestion } from '../operations/graph/directory.ts';
import type { GraphParts } from '../operations/graph/reading.ts';
import { shownStatement } from '../operations/owner-statement.ts';
import { type SearchSources, searchAs } from '../operations/search-agents.ts';
import { type AgentRequest, agentOf } from '../parameters.ts';
import { type AgentInFull, agentInFull, type InFullSources } from '../render/agent-in-full.ts';
import { badgeEvent } from '../render/badge-timeline.ts';
import { healthAnswer, USUAL_HEALTH_DAYS } from '../render/health-history.ts';
import { listedAgent, MAX_PAGE_BYTES } from './directory.ts';
import type { KeepPage } from './html-pages.ts';
import { type HtmlPages, type KeptPage, keptPage, NO_OPERATION } from './html-pages.ts';
import { askedOf } from './known-domains.ts';

const MOST_ITEMS = 24;
const MOST_NEAR = 5;
const MOST_EVENTS = 12;

interface AgentPageParts extends Omit<InFullSources, 'baseUrl'>, SearchSources {
  readonly records: InFullSources['records'] & Pick<Records, 'owners'>;
  readonly keep: KeepPage;
  readonly clock: Clock;
}

/** GET /agents/{encodedUrl} for people; an address that is not encoded does as well. */
export function agentPages(
  server: FastifyInstance,
  pages: HtmlPages,
  { keep, clock, ...sources }: AgentPageParts,
): void {
  const { site } = pages;
  server.get(
    '/agents/*',
    NO_OPERATION,
    async (request: FastifyRequest<{ Params: { '*': string } }>, reply) => {
      const { '*': address } = request.params;
      const parsed = parseAgentUrl(address);
      const page = parsed.ok
        ? await keep(`/agents/${parsed.url}`, (now) => shownAgent(site, sources, parsed.url, now))
        : undefined;
      if (page !== undefined) return pages.send(request, reply, page);
      const reason = parsed.ok
        ? 'the registry has never heard of this agent'
        : AGENT_URL_PROBLEMS[parsed.problem];
      const near = await agentsNear(sources, address, clock.now());
      const unknown = unknownAgentPage(site, { address, reason, near });
      return pages.send(request, reply.code(404), keptPage(site, unknown));
    },
  );
}

/** Undefined for an agent that the registry has never heard of. */
async function shownAgent(
  site: PageSite,
  sources: Omit<AgentPageParts, 'keep' | 'clock'>,
  url: string,
  now: number,
): Promise<KeptPage | undefined> {
  const { agents, compliance, owners } = sources.records;
  const agent = await agentInFull({ ...sources, baseUrl: '' }, url, now);
  if (agent === undefined) return undefined;
  await letOthersIn();
  const [history, badgeEvents, statement] = await Promise.all([
    healthAnswer(agents, agent.url, USUAL_HEALTH_DAYS, now),
    eventsOf(compliance, agent),
    shownStatement(owners, agent.url),
  ]);
  await letOthersIn();
  const view = { agent, badgeEvents, ...(history && { history }), ...(statement && { statement }) };
  for (let most = MOST_ITEMS; ; most = Math.floor(most / 2)) {
    const page = keptPage(site, agentPage(site, { ...view, most }));
    if (page.body.length <= MAX_PAGE_BYTES || most === 0) return page;
  }
}

/** Of the timeline of its badges, the latest; none of an agent that was never tested, or opted out. */
async function eventsOf(
  compliance: AgentPageParts['records']['compliance'],
  { url, compliance: tests }: AgentInFull,
) {
  if (tests === undefined || tests.status === 'opted_out' || tests.last_checked_at === null) return [];
  return (await compliance.badgeEvents(url, { limit: MOST_EVENTS })).map(badgeEvent);
}

/** Agents with the words of an address; where nobody has them all, with its longest one. */
async function agentsNear(
  sources: SearchSources,
  address: string,
  now: number,
): Promise<readonly ListedAgent[]> {
  const host = /^(?:[a-z]+:\/*)?([^/?#]*)/i.exec(address.slice(0, 200))?.[1] ?? '';
  const words = wordsOf(host).slice(0, 8);
  const longest = words.toSorted((a, b) => b.length - a.length).slice(0, 1);
  for (const wanted of [words, longest]) {
    const read = readSearchQuery(new URLSearchParams({ q: wanted.join(' '), limit: String(MOST_NEAR) }), now);
    const { results } = read.ok ? await searchAs(sources, read.query, now, listedAgent) : { results: [] };
    if (results.length > 0) return results.map((one) => ({ ...one, matched: [] }));
  }
  return [];
}

/** A page of so many stays under its weight. */
const MOST = '50';

/** GET /agents/{encodedUrl}/publishers for people: who authorises an agent. Of one that nobody ever named its own page tells. */
export function agentPublishersPages(
  server: FastifyInstance,
  { site, send }: HtmlPages,
  parts: GraphParts,
): void {
  server.get('/agents/:encodedUrl/publishers', NO_OPERATION, async (request: AgentRequest, reply) => {
    const agent = agentOf(request.params.encodedUrl);
    const asked = askedOf(request, ['search', 'status', 'cursor']);
    const query = new URLSearchParams([...asked, ['limit', MOST]]);
    const found = await publishersOfAgent(parts, agent, readPublishersQuestion(String(query)));
    if (found === undefined) return reply.redirect(agentPath(site, agent), 302);
    const { publishers, next_cursor: cursor } = found;
    return send(
      request,
      reply,
      keptPage(site, agentPublishersPage(site, { agent, asked, publishers, cursor })),
    );
  });
}
