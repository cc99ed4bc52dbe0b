import { parseAgentUrl } from '../../domain/agent-url.ts';
import { parseDomain } from '../../domain/domain-name.ts';
import { wordsOf } from '../../domain/text.ts';
import { readSearchQuery } from '../../index/query/search-query.ts';
import { isBeginning } from '../../index/query/search-words.ts';
import type { ListedAgent } from '../../pages/directory/result.ts';
import { domainPath } from '../../pages/files/file-parts.ts';
import { lookUpPage } from '../../pages/look-up.ts';
import { agentPath, amountText } from '../../pages/texts.ts';
import { hostIn } from '../domains-near.ts';
import { foundByName } from '../operations/graph/find-brands.ts';
import { searchAs } from '../operations/search-agents.ts';
import { kindOfDomain } from './crawls.ts';
import { listedAgent } from './directory.ts';
import { keptPage } from './html-pages.ts';
import type { Elsewhere, MadePage, PageSources } from './made-page.ts';

const MAX_TEXT = 1_000;
const MOST_AGENTS = 20;
/** Of a name. */
const MAX_NAME = 253;

/** `/look-up`: leads to the agent or the domain that `q` names; several hits are a list. */
export async function madeLookUp(
  parts: PageSources,
  _: string,
  query: string,
): Promise<MadePage | Elsewhere> {
  return lookUp(parts, new URLSearchParams(query).get('q') ?? '');
}

export async function lookUp(parts: PageSources, given: string): Promise<MadePage | Elsewhere> {
  const { site, records } = parts;
  const text = given.slice(0, MAX_TEXT).trim();
  if (text === '') return { status: 302, location: `${site.root}/` };
  const agent = parseAgentUrl(text);
  if (agent.ok && (await records.agents.saved([agent.url])).length > 0)
    return { status: 303, location: agentPath(site, agent.url) };
  const parsed = parseDomain(hostIn(text));
  if (!parsed.ok) return named(parts, text);
  const [known] = await records.graph.publishersAmong([parsed.domain]);
  const kind = await kindOfDomain(records, parsed.domain);
  // the URL of an agent, at a domain that publishes nothing: its page says how it is added
  const isAgent =
    agent.ok && known === undefined && kind === 'publishers' && new URL(agent.url).pathname !== '/';
  return {
    status: 303,
    location: isAgent ? agentPath(site, agent.url) : domainPath(site, kind, parsed.domain),
  };
}

async function named(parts: PageSources, asked: string): Promise<MadePage | Elsewhere> {
  const { site } = parts;
  const name = asked.slice(0, MAX_NAME);
  const { brands, publishers } = await foundByName(parts, name);
  const { named: own, found: others } = await agentsFound(parts, name);
  const agents = own.length + brands.length + publishers.length > 0 ? own : others;
  const view = {
    ...{ asked, agents },
    brands: brands.map(({ domain, brand_name }) => ({
      domain,
      about: brand_name === domain ? '' : brand_name,
    })),
    publishers: publishers.map(({ domain, agents: count, properties }) => ({
      domain,
      about: `${amountText(count, 'agent')}, ${amountText(properties, 'property', 'properties')}`,
    })),
  };
  const places = [
    ...agents.map(({ url }) => agentPath(site, url)),
    ...brands.map(({ domain }) => domainPath(site, 'brands', domain)),
    ...publishers.map(({ domain }) => domainPath(site, 'publishers', domain)),
  ];
  const [only] = places;
  if (only !== undefined && places.length === 1) return { status: 303, location: only };
  return { status: only === undefined ? 404 : 200, ...keptPage(site, lookUpPage(site, view)) };
}

/** Agents that the search finds, and those of them with all the words in their name or URL. */
async function agentsFound(
  parts: PageSources,
  name: string,
): Promise<{ readonly named: readonly ListedAgent[]; readonly found: readonly ListedAgent[] }> {
  const now = parts.clock.now();
  const words = wordsOf(name);
  const read = readSearchQuery(new URLSearchParams({ q: name, limit: String(MOST_AGENTS) }), now);
  if (!read.ok || words.length === 0) return { named: [], found: [] };
  const { results } = await searchAs(parts, read.query, now, listedAgent);
  const found = results.map((one) => ({ ...one, matched: [] }));
  const isNamed = ({ name: own, url }: ListedAgent) => {
    const has = wordsOf(`${own} ${url}`);
    return words.every((word) => has.some((one) => isBeginning(word, one)));
  };
  return { named: found.filter(isNamed), found };
}
