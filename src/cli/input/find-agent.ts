import { parseAgentUrl } from '../../domain/agent-url.ts';
import { parseDomain } from '../../domain/domain-name.ts';
import { RegistryError } from '../../errors.ts';
import {
  agentsNear,
  agentsWith,
  type NamedAgent,
  nearestAgents,
  type Searched,
} from '../../index/query/named-agents.ts';

/** Agents that are offered where a name is not enough. */
const MAX_OFFERED = 10;

/**
 * The URL of an agent that is named by its URL, its host or its name, whole or in part. Where several fit they are offered,
 * and where none does the nearest. A URL is returned as it is, known or not.
 */
export async function findAgent(index: Searched, text: string): Promise<string> {
  const parsed = parseAgentUrl(text);
  if (parsed.ok) return parsed.url;
  const agents = await agentsWith(index, text);
  const wanted = text.trim().toLowerCase();
  const spelt = ({ name, host }: NamedAgent) => [name.toLowerCase(), host];
  const whole = agents.filter((agent) => spelt(agent).includes(wanted));
  const fits =
    whole.length > 0 ? whole : agents.filter((agent) => spelt(agent).some((one) => one.includes(wanted)));
  const [only, ...others] = wanted === '' ? [] : fits;
  if (only === undefined) throw unknownAgent(text, nearestAgents(text, agents));
  if (others.length === 0) return only.url;
  throw new RegistryError('usage', `'${text.slice(0, 200)}' matches ${fits.length} agents`, {
    hint: `give the URL of one: ${offered(fits)}`,
  });
}

/** Throws `not_found` with similar names. */
export async function unknownUrl(index: Searched, url: string): Promise<RegistryError> {
  const { host } = new URL(url);
  return unknownAgent(host, await agentsNear(index, url), url);
}

function unknownAgent(text: string, meant: readonly NamedAgent[], named = text): RegistryError {
  return new RegistryError('not_found', `no agent '${named.slice(0, 200)}' in the registry`, {
    hint: `${aboutDomain(text)}${meant.length === 0 ? '"agent-registry search" lists the agents' : `similar: ${offered(meant)}`}`,
  });
}

/** A publisher or a brand is not an agent, and another command explains it. */
function aboutDomain(text: string): string {
  const parsed = parseDomain(text);
  if (!parsed.ok) return '';
  return `"agent-registry explain ${parsed.domain}" shows the agents of this domain; `;
}

function offered(agents: readonly NamedAgent[]): string {
  const shown = agents.slice(0, MAX_OFFERED).map(({ url, name }) => `${url} (${name})`);
  const more = agents.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
