import type { Jwk } from '@agent-registry/surface/agent-kit';
import { type AgentSpec, hostOf, vendorDomain } from '../agents/agent.ts';
import { AGENT_HOSTER } from '../agents/roster.ts';
import { UNDECLARED_VENDOR } from '../agents/roster-measurement.ts';
import { BUYERS, DESK_DOMAIN } from '../buyers.ts';
import { type AgentKeys, keySet } from '../keys.ts';
import type { PublishedPage } from '../publishers/plan.ts';
import { jsonFile } from '../web/file.ts';
import { brandPage } from './houses.ts';

/** Domains that publish no brand.json, or none that speaks of the agent. */
const SILENT = [
  UNDECLARED_VENDOR,
  'tollgate.example',
  'oddments.example',
  'wander.example',
  'lostlane.example',
];

/** Agents that a house declares: on its own domain, or at the hoster that it names as its operator. */
const OF_A_HOUSE = ['https://buyer-1.agents.example/mcp', 'https://marlowe-house.example/identity'];

/** True when a file that has the say declares the agent's type; else it is left to be inferred. */
export function declared(spec: AgentSpec): boolean {
  return OF_A_HOUSE.includes(spec.url) || declaredAtHome(spec);
}

function declaredAtHome(spec: AgentSpec): boolean {
  return !SILENT.includes(vendorDomain(spec)) && !OF_A_HOUSE.includes(spec.url);
}

/** The vendors' brand.json files and the key sets (RFC 7517) that they point at. */
export function vendorPages(
  roster: readonly AgentSpec[],
  keysOf: (spec: AgentSpec) => AgentKeys,
): readonly PublishedPage[] {
  const declared = Map.groupBy(roster.filter(declaredAtHome), vendorDomain);
  const files = [...declared].map(([domain, specs]) =>
    brandPage({
      domain,
      file: { agents: specs.map(agentEntry), contact: { name: specs[0]?.name, email: `hello@${domain}` } },
    }),
  );
  return [...files, ...roster.map((spec) => keyPage(spec, keysOf(spec)))];
}

function agentEntry(spec: AgentSpec): object {
  const { type, url, name, description } = spec;
  const jwks = vendorDomain(spec) === AGENT_HOSTER ? { jwks_uri: jwksUri(spec) } : {};
  return { type, url, id: hostOf(spec).split('.')[0], name, description, ...jwks };
}

/** The hoster keeps the keys of its agents; everybody else has the default place. */
function jwksUri(spec: AgentSpec): string {
  const host = hostOf(spec);
  if (vendorDomain(spec) !== AGENT_HOSTER) return `https://${host}/.well-known/jwks.json`;
  return `https://${AGENT_HOSTER}/keys/${host.split('.')[0]}.json`;
}

function keyPage(spec: AgentSpec, keys: AgentKeys): PublishedPage {
  const { host, pathname } = new URL(jwksUri(spec));
  return { host, path: pathname, page: jsonFile(keySet(keys)) };
}

/** The brand.json and the keys of whoever uses the sandbox as a buyer. No crawl is told of them. */
export function deskPages(keys: readonly Jwk[]): readonly PublishedPage[] {
  const url = BUYERS.find(({ operator }) => operator === DESK_DOMAIN)?.url;
  const file = { agents: [{ type: 'buying', url, id: 'desk' }], contact: { name: 'You' } };
  const page = jsonFile({ keys }, { cacheControl: 'no-cache' });
  return [
    brandPage({ domain: DESK_DOMAIN, file }),
    { host: DESK_DOMAIN, path: '/.well-known/jwks.json', page },
  ];
}
