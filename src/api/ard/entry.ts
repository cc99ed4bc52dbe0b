import type { JsonObject } from '../../base/json.ts';
import { plain } from '../../pages/texts.ts';
import type { SearchCard } from '../../query/search-document.ts';
import { identifierOfAgent } from './identifier.ts';
import { representativeQueries } from './queries.ts';

/** The media type of an agent's artefact, by how it is spoken to (ARD v0.91, 3.3). */
export const TYPE_OF_PROTOCOL = {
  mcp: 'application/mcp-server-card+json',
  a2a: 'application/a2a-agent-card+json',
} as const;
/** The namespace of our own terms, which every registry of this kind has; entries and queries bind a prefix to it (4.1). */
export const OUR_TERMS = 'urn:agent-registry:terms#';
const PREFIX = 'reg';

export const REGISTRY_TYPE = 'application/ai-registry+json';

const MOST = { listed: 20, description: 500 };

/** An ARD entry: its terms are those of ARD v0.91, section 4.2, and ours with a prefix. */
export interface ArdEntry extends JsonObject {
  readonly identifier: string;
  readonly displayName: string;
  readonly type: string;
}

/**
 * The entry of an agent, made of what the index keeps of it. `origin` is where this registry is. What is verified stands in
 * `trustManifest`, with links to what verifies it: the trust domain is the agent's own host, as section 4.5.1 asks, and
 * nothing there is the agent's word. Undefined for an agent that has no identifier, and for one that no probe has reached: there is
 * nothing to call.
 */
export function entryOf(agent: string, card: SearchCard, origin: string): ArdEntry | undefined {
  const identifier = identifierOfAgent(agent);
  const artefact = artefactOf(agent, card.protocol);
  if (identifier === undefined || artefact === undefined) return undefined;
  const record = `${origin}/api/registry/agents/${encodeURIComponent(agent)}`;
  const { type, description, specialisms, tags } = card;
  const lists = LISTS.filter(([name]) => card[name].length > 0);
  const listed = (texts: readonly string[]) => texts.slice(0, MOST.listed).map((text) => plain(text));
  return {
    ...(lists.length > 0 && { '@context': { [PREFIX]: OUR_TERMS } }),
    identifier,
    displayName: plain(card.name) || new URL(agent).hostname,
    ...artefact,
    ...(description !== undefined && { description: plain(description, MOST.description) }),
    ...(specialisms.length > 0 && { capabilities: listed(specialisms) }),
    ...(tags.length > 0 && { tags: listed(tags) }),
    representativeQueries: representativeQueries(card),
    metadata: {
      agentType: type,
      verified: String(card.verified_roles.length > 0),
      complianceStatus: card.compliance_status,
      record,
    },
    ...Object.fromEntries(lists.map(([name, term]) => [`${PREFIX}:${term}`, listed(card[name])])),
    trustManifest: {
      identity: new URL(agent).origin,
      identityType: 'https',
      attestations: [
        ...card.verified_roles.map((role) => ({
          type: `badge:${role}`,
          uri: `${record}/badge/${role}/token`,
          mediaType: 'application/jwt',
        })),
        { type: 'compliance', uri: `${record}/compliance`, mediaType: 'application/json' },
      ],
      provenance: [{ relation: 'derivedFrom', sourceId: record }],
    },
  };
}

/** The lists of an agent that the terms of ARD do not have, by the names that ours give them. */
export const LIST_TERMS = {
  channels: 'channels',
  property_types: 'propertyTypes',
  markets: 'markets',
  categories: 'categories',
  delivery_types: 'deliveryTypes',
  format_kinds: 'formatKinds',
  metrics: 'metrics',
  accreditations: 'claimedAccreditations',
} as const;
const LISTS = Object.entries(LIST_TERMS) as (readonly [keyof typeof LIST_TERMS, string])[];

/** For A2A the card at its well-known place (RFC 8615); an MCP server shows its own at the address itself. */
function artefactOf(agent: string, protocol: string | null) {
  if (protocol === 'mcp') return { type: TYPE_OF_PROTOCOL.mcp, url: agent };
  if (protocol === 'a2a')
    return { type: TYPE_OF_PROTOCOL.a2a, url: new URL('/.well-known/agent-card.json', agent).href };
  return undefined;
}
