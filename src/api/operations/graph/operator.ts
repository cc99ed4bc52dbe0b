import type { FastifyInstance } from 'fastify';
import { yieldToEventLoop } from '../../../base/event-loop.ts';
import { jsonBytes, withinBytes } from '../../../base/json-bytes.ts';
import { sellersAmong } from '../../../discovery/may-sell.ts';
import type { MemberCard } from '../../../domain/agent-facts.ts';
import { SITE_TYPES } from '../../../domain/declaration.ts';
import { sitesAbove } from '../../../domain/domain-name.ts';
import { hasAuthority } from '../../../domain/identity.ts';
import { provesDomain } from '../../../domain/ownership.ts';
import { namedDomain, needed, queryText, readParameters } from '../../parameters.ts';
import { invalidValue } from '../../problem.ts';
import { describedBy } from '../description.ts';
import {
  type GraphParts,
  identifierOf,
  MAX_BYTES,
  publicReading,
  sendBody,
  textParameter,
  visitOf,
  visitOfSite,
} from './reading.ts';

const SCOPES = ['public', 'member', 'private', 'all'];
const MAX_AGENTS = 100;
const MAX_PUBLISHERS = 50;
/** Agents × publishers that are asked for one identifier. */
const MAX_ASKED = 500;
/** Bytes of entries and properties that are read for one identifier: four times what is read for one question. */
const MAX_READ = 16 * 1024 * 1024;

const PROPERTY = publicReading({
  operationId: 'lookupProperty',
  summary: 'Look up the agents that may sell a property',
  description:
    'Agents that are authorised for the property now. The list is empty if no publisher lists the property. For a site, `visit` is the state of the file that covers it, which belongs to `publisher_domain`.',
  parameters: [
    textParameter('type', 'The type of an identifier.', 'domain'),
    textParameter('value', 'Its value.', 'larkhaven-courier.example'),
  ],
  answers: 'The agents.',
  schema: 'PropertyLookup',
});

const OPERATOR = publicReading({
  operationId: 'lookupOperator',
  summary: 'Look up the agents of an operator',
  description:
    'Agents that the brand.json of the domain declares with authority: its own, and those that point back to it. They are public for every `scope`. `member` is the organisation that proved control of the domain for one of them.',
  parameters: [
    textParameter('domain', 'A domain name.', 'agents.example'),
    {
      name: 'scope',
      in: 'query',
      description: 'Accepted for compatibility.',
      schema: { type: 'string', enum: SCOPES },
    },
  ],
  answers: 'The agents.',
  schema: 'OperatorLookup',
});

/** GET /api/registry/lookup/property and /api/registry/operator. */
export function operatorOperations(server: FastifyInstance, parts: GraphParts): void {
  server.get('/api/registry/lookup/property', describedBy(PROPERTY), async (request, reply) => {
    const parameters = readParameters(queryText(request), ['type', 'value'], 'a look-up');
    const type = needed(parameters, 'type');
    const value = identifierOf(type, needed(parameters, 'value'), 'value');
    const [{ agents, isCut }, standing] = await Promise.all([
      sellersOf(parts, { type, value }),
      SITE_TYPES.has(type) ? visitOfSite(parts, value) : undefined,
    ]);
    const shown = withinBytes(agents, MAX_BYTES - 8_192);
    return sendBody(request, reply, {
      type,
      value,
      agents: shown,
      count: shown.length,
      ...((isCut || shown.length < agents.length) && { agents_truncated: true }),
      ...standing,
    });
  });
  server.get('/api/registry/operator', describedBy(OPERATOR), async (request, reply) => {
    const parameters = readParameters(queryText(request), ['domain', 'scope'], 'a look-up');
    const domain = namedDomain(needed(parameters, 'domain'));
    const scope = parameters.get('scope');
    if (scope !== undefined && !SCOPES.includes(scope)) throw invalidValue('scope', 'unknown scope', SCOPES);
    const { agents, provers, isCut } = await agentsOf(parts, domain);
    const visit = await visitOf(parts, 'brand', domain);
    const shown = withinBytes(agents, MAX_BYTES);
    return sendBody(request, reply, {
      domain,
      member: (provers.size === 1 ? [...provers.values()][0] : undefined) ?? null,
      agents: shown,
      ...((isCut || shown.length < agents.length) && { agents_truncated: true }),
      visit,
    });
  });
}

interface Identifier {
  readonly type: string;
  readonly value: string;
}

/** Who is named by the publishers of a property is asked for, as many together as one read has room for. */
async function sellersOf({ records, clock }: GraphParts, property: Identifier) {
  const { graph, authorisations } = records;
  const publishers = SITE_TYPES.has(property.type)
    ? sitesAbove(property.value)
    : await graph.publishersListing(property.type, property.value, MAX_PUBLISHERS + 1);
  const most = Math.max(1, Math.floor(MAX_ASKED / Math.max(5, publishers.length)));
  const named = new Map<string, object>();
  let { edges, isCut } = await graph.agentsOfEach(publishers, MAX_ASKED);
  // the site itself comes before those above it
  edges = edges.toSorted((a, b) => publishers.indexOf(a.publisher) - publishers.indexOf(b.publisher));
  for (const { publisher, agent, sells, authorizedFor } of edges) {
    if (!sells || named.has(agent)) continue;
    isCut ||= named.size === most;
    if (named.size === most) break;
    const said = authorizedFor === undefined ? {} : { authorized_for: authorizedFor };
    named.set(agent, { url: agent, ...said, publisher_domain: publisher });
  }
  const agents: object[] = [];
  let [waiting, room] = [[...named.keys()], MAX_READ];
  while (waiting.length > 0 && room > 0) {
    const { sellers, asked, bytes } = await sellersAmong(authorisations, { property }, waiting, clock.now());
    agents.push(...sellers.flatMap((agent) => named.get(agent) ?? []));
    waiting = waiting.slice(asked);
    room -= bytes;
    await yieldToEventLoop(); // what is read of long files takes a while
  }
  isCut ||= waiting.length > 0;
  return { agents, isCut };
}

/** The agents for which the domain's brand.json may speak, others it only claims; and who proved that the domain is theirs. */
async function agentsOf({ records }: GraphParts, domain: string) {
  const named = await records.graph.agentsNamedBy(domain, MAX_AGENTS);
  const agents: object[] = [];
  const provers = new Map<string, MemberCard>();
  let [bytes, isCut] = [0, named.length === MAX_AGENTS];
  for (const agent of named) {
    await yieldToEventLoop();
    isCut ||= bytes > MAX_BYTES;
    if (bytes > MAX_BYTES) break;
    const [known] = await records.agents.facts([agent]);
    if (!known?.mentions.some((mention) => mention.declarer === domain && hasAuthority(mention, known)))
      continue;
    const { member, proven, via } = known.registration ?? {};
    if (member && proven && provesDomain(domain, agent, via)) provers.set(member.slug, member);
    const [saved] = await records.agents.saved([agent]);
    if (saved?.document === undefined) continue;
    const { base, type } = saved.document;
    const page = { limit: MAX_PUBLISHERS, isLive: true, entries: MAX_ASKED };
    const { edges, last } = await records.graph.publishersOf(agent, page);
    isCut ||= last !== undefined;
    const authorizedBy = edges
      .filter(({ sells }) => sells)
      .map(({ publisher, authorizedFor }) => ({
        publisher_domain: publisher,
        ...(authorizedFor !== undefined && { authorized_for: authorizedFor }),
        source: 'adagents_json',
      }));
    const told = { url: agent, name: base.name, type, authorized_by: authorizedBy };
    bytes += jsonBytes(told);
    agents.push(told);
  }
  return { agents, provers, isCut };
}
