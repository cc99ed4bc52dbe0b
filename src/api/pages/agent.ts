import { yieldToEventLoop } from '../../base/event-loop.ts';
import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../../domain/agent-url.ts';
import { hostWithoutSuffix, parseDomain } from '../../domain/domain-name.ts';
import { wordsOf } from '../../domain/text.ts';
import { readSearchQuery } from '../../index/query/search-query.ts';
import { agentPage, unknownAgentPage } from '../../pages/agent/agent.ts';
import { agentPublishersPage } from '../../pages/agent/publishers.ts';
import type { ListedAgent } from '../../pages/directory/result.ts';
import { agentPath } from '../../pages/texts.ts';
import type { Records } from '../../ports/records.ts';
import { COOLDOWN_MS } from '../operations/crawl-requests.ts';
import { publishersOfAgent } from '../operations/graph/agent-publishers.ts';
import { readPublishersQuestion } from '../operations/graph/directory.ts';
import { shownStatement } from '../operations/owner-statement.ts';
import { searchAs } from '../operations/search-agents.ts';
import { agentOf } from '../parameters.ts';
import { type AgentInFull, agentInFull } from '../render/agent-in-full.ts';
import { badgeEvent } from '../render/badge-timeline.ts';
import { protocolLines } from '../render/compliance-lines.ts';
import { healthAnswer, USUAL_HEALTH_DAYS } from '../render/health-history.ts';
import { publicStoryboards } from '../render/public-storyboards.ts';
import { shownVisit, type VisitState } from '../render/visit-state.ts';
import { listedAgent } from './directory.ts';
import { fittingPage, type KeptPage, keptPage } from './html-pages.ts';
import type { Elsewhere, MadePage, PageSources } from './made-page.ts';

const MOST_ITEMS = 24;
const MOST_NEAR = 5;
const MOST_EVENTS = 12;

/** `/agents/{encodedUrl}`, also with a URL that is not encoded. */
export async function madeAgent(parts: PageSources, address: string): Promise<MadePage> {
  const { site, records } = parts;
  const parsed = parseAgentUrl(address);
  const page = parsed.ok ? await shownAgent(parts, parsed.url) : undefined;
  if (page !== undefined) return { status: 200, ...page };
  const near = await agentsNear(parts, address);
  if (!parsed.ok) {
    const reason = AGENT_URL_PROBLEMS[parsed.problem];
    return { status: 404, ...keptPage(site, unknownAgentPage(site, { address, reason, near })) };
  }
  const host = parseDomain(parsed.host);
  const isCrawled =
    host.ok && (await records.sources.get({ kind: 'adagents', key: host.domain })) !== undefined;
  const reason = isCrawled
    ? 'no file that the registry has read names this agent'
    : 'the registry has not crawled the domain of this agent';
  const view = { address, reason, near, agent: parsed.url, ...(host.ok && { domain: host.domain }) };
  return { status: 404, ...keptPage(site, unknownAgentPage(site, view)) };
}

/** Undefined for an agent without a record. */
async function shownAgent(parts: PageSources, url: string): Promise<KeptPage | undefined> {
  const { agents, compliance, owners } = parts.records;
  const now = parts.clock.now();
  const agent = await agentInFull({ ...parts, baseUrl: '' }, url, now);
  if (agent === undefined) return undefined;
  await yieldToEventLoop();
  const [history, badgeEvents, storyboards, statement, protocol] = await Promise.all([
    healthAnswer(agents, agent.url, USUAL_HEALTH_DAYS, now),
    eventsOf(compliance, agent),
    notPassing(compliance, agent),
    shownStatement(owners, agent.url),
    linesOf(parts, agent.url),
  ]);
  await yieldToEventLoop();
  const { provenance, ...others } = agent;
  const reasoned = <T extends VisitState>(visit: T) => shownVisit(visit, COOLDOWN_MS, now);
  const probe = reasoned(provenance.probe);
  const shown = {
    ...others,
    provenance: {
      ...provenance,
      probe,
      declared_by: provenance.declared_by.map(reasoned),
      authorized_by: provenance.authorized_by.map(reasoned),
    },
  };
  const view = {
    ...{ agent: shown, badgeEvents },
    ...(probe.check_from !== undefined && { checkFrom: probe.check_from }),
    failed: storyboards.filter(({ result }) => result === 'fail'),
    incomplete: storyboards.filter(({ result }) => result === 'incomplete'),
    ...(history && { history }),
    ...(statement && { statement }),
    ...(protocol && { protocol }),
  };
  const { site } = parts;
  return fittingPage(site, MOST_ITEMS, (most) => agentPage(site, { ...view, most }));
}

/** As everybody sees them. */
async function linesOf(parts: PageSources, agent: string) {
  const state = await parts.records.compliance.state(agent);
  return state && protocolLines(parts, { agent, state, isOwner: false });
}

/** The latest events of its badges; empty for an agent that was never tested or that opted out. */
async function eventsOf(
  compliance: Pick<Records['compliance'], 'badgeEvents'>,
  { url, compliance: tests }: AgentInFull,
) {
  if (tests === undefined || tests.status === 'opted_out' || tests.last_checked_at === null) return [];
  return (await compliance.badgeEvents(url, { limit: MOST_EVENTS })).map(badgeEvent);
}

/** The public storyboard results of its latest run; empty where no track fails or has a coverage gap. */
async function notPassing(
  compliance: Pick<Records['compliance'], 'run'>,
  { url, compliance: tests, provenance: { run } }: AgentInFull,
) {
  const tracks = tests !== undefined && 'track_details' in tests ? tests.track_details : [];
  const isNeeded = tracks.some((track) => track.status === 'fail' || track.has_coverage_gap_skip);
  const kept = isNeeded && run !== null ? await compliance.run(url, run.id) : undefined;
  return kept === undefined ? [] : publicStoryboards(kept);
}

/** Agents with all words of an address; where no agent has them, with its longest one. */
async function agentsNear(parts: PageSources, address: string): Promise<readonly ListedAgent[]> {
  const now = parts.clock.now();
  const host = /^(?:[a-z]+:\/*)?([^/?#:]*)/i.exec(address.slice(0, 200))?.[1] ?? '';
  // unrelated hosts share a public suffix
  const words = wordsOf(hostWithoutSuffix(host.toLowerCase())).slice(0, 8);
  const longest = words.toSorted((a, b) => b.length - a.length).slice(0, 1);
  for (const wanted of [words, longest]) {
    const read = readSearchQuery(new URLSearchParams({ q: wanted.join('.'), limit: String(MOST_NEAR) }), now);
    const { results } = read.ok ? await searchAs(parts, read.query, now, listedAgent) : { results: [] };
    if (results.length > 0) return results.map((one) => ({ ...one, matched: [] }));
  }
  return [];
}

/** A page of so many stays under its weight. */
const MOST = '50';

/** `/agents/{encodedUrl}/publishers`: who authorises an agent. Redirects to its own page if no publisher ever did. */
export async function madeAgentPublishers(
  parts: PageSources,
  address: string,
  query: string,
): Promise<MadePage | Elsewhere> {
  const { site } = parts;
  const agent = agentOf(address);
  const asked = new URLSearchParams(query);
  const question = readPublishersQuestion(String(new URLSearchParams([...asked, ['limit', MOST]])));
  const found = await publishersOfAgent(parts, agent, question);
  if (found === undefined) return { status: 302, location: agentPath(site, agent) };
  const { publishers, next_cursor: cursor } = found;
  const page = agentPublishersPage(site, { agent, asked, publishers, cursor });
  return { status: 200, ...keptPage(site, page) };
}
