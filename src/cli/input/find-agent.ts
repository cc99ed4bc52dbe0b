import { nearestName } from '../../discovery/near-names.ts';
import { parseAgentUrl } from '../../domain/agent-url.ts';
import { RegistryError } from '../../errors.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';

/** Agents that are offered where a name is not enough. */
const MAX_OFFERED = 10;
const PAGE = 1_000;

interface Named {
  readonly url: string;
  readonly name: string;
}

/**
 * The URL of an agent that is named by its URL, its host or its name, whole or in part. Where several fit they are offered,
 * and where none does the nearest. A URL is returned as it is, known or not.
 */
export async function findAgent(index: Pick<AgentIndex, 'search'>, text: string): Promise<string> {
  const parsed = parseAgentUrl(text);
  if (parsed.ok) return parsed.url;
  const agents = await readNames(index);
  const wanted = text.trim().toLowerCase();
  const spelt = (agent: Named) => [agent.name.toLowerCase(), hostOf(agent)];
  const whole = agents.filter((agent) => spelt(agent).includes(wanted));
  const fits =
    whole.length > 0 ? whole : agents.filter((agent) => spelt(agent).some((one) => one.includes(wanted)));
  const [only, ...others] = wanted === '' ? [] : fits;
  if (only === undefined) throw unknownAgent(text, agents);
  if (others.length === 0) return only.url;
  throw new RegistryError('usage', `'${text.slice(0, 200)}' fits ${fits.length} agents`, {
    hint: `name one by its URL: ${offered(fits)}`,
  });
}

/** Says that nobody knows it, with what it may have meant. */
export async function unknownUrl(index: Pick<AgentIndex, 'search'>, url: string): Promise<RegistryError> {
  return unknownAgent(new URL(url).host, await readNames(index));
}

function unknownAgent(text: string, agents: readonly Named[]): RegistryError {
  const spellings = new Map(
    agents.flatMap(
      (agent) =>
        [
          [agent.name, agent],
          [hostOf(agent), agent],
        ] as const,
    ),
  );
  const near = nearestName(text, spellings.keys());
  const nearest = agents.filter((agent) => near !== undefined && [agent.name, hostOf(agent)].includes(near));
  return new RegistryError('not_found', `the registry knows no agent '${text.slice(0, 200)}'`, {
    hint:
      nearest.length === 0 ? '"agent-registry search" lists the agents' : `the nearest: ${offered(nearest)}`,
  });
}

function offered(agents: readonly Named[]): string {
  const shown = agents.slice(0, MAX_OFFERED).map(({ url, name }) => `${url} (${name})`);
  return [...shown, ...(agents.length > MAX_OFFERED ? [`and ${agents.length - MAX_OFFERED} more`] : [])].join(
    ', ',
  );
}

async function readNames(index: Pick<AgentIndex, 'search'>): Promise<readonly Named[]> {
  const agents: Named[] = [];
  for (let more = true; more; ) {
    const after = agents.at(-1)?.url;
    const page = await index.search({ filter: {}, limit: PAGE, ...(after !== undefined && { after }) });
    for (const { url, base } of page.hits) agents.push({ url, name: (JSON.parse(base) as Named).name });
    more = page.more;
  }
  return agents;
}

function hostOf({ url }: Named): string {
  return new URL(url).host;
}
