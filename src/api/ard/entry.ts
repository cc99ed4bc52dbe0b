import type { JsonObject } from '../../base/json.ts';
import type { SearchCard } from '../../index/query/search-document.ts';
import { plain } from '../../pages/texts.ts';
import { identifierOfAgent } from './identifier.ts';

/** The media type of an agent's artefact, by its protocol (ARD v0.91, 3.3). */
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
 * The entry of an agent, from its card in the index. `origin` is the address of this registry. `trustManifest` has only what the
 * registry verified, with links to the evidence; its trust domain is the agent's own host, as section 4.5.1 requires. Undefined for
 * an agent without an identifier, and for one that no probe has reached.
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

/** The lists of an agent that have no term in ARD, by our terms. */
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

/** For A2A the card at its well-known URL (RFC 8615); an MCP server has it at its own URL. */
function artefactOf(agent: string, protocol: string | null) {
  if (protocol === 'mcp') return { type: TYPE_OF_PROTOCOL.mcp, url: agent };
  if (protocol === 'a2a')
    return { type: TYPE_OF_PROTOCOL.a2a, url: new URL('/.well-known/agent-card.json', agent).href };
  return undefined;
}

const MOST_QUERIES = 5;

/** Questions that every agent of a type can answer. */
const OF_TYPE: Readonly<Record<string, readonly [string, string]>> = {
  sales: ['which advertising products are for sale here', 'buy advertising and report on its delivery'],
  buying: ['plan a media buy for a brief', 'spend an advertising budget across sellers'],
  measurement: ['measure an advertising campaign', 'which metrics are offered for a campaign'],
  creative: ['make creatives from a brief', 'which creative formats are supported'],
  signals: ['find audience segments for a campaign', 'activate a signal on a platform'],
  governance: ['check a campaign against brand safety rules', 'which properties suit a brand'],
  brand: ['what are the guidelines of this brand', 'find the logo and colours of a brand'],
  rights: ['license the likeness of a talent', 'which rights may an advertisement use'],
};
const OF_ANY = [
  'what can this advertising agent do',
  'which tasks does this advertising agent have',
] as const;

/**
 * Two to five questions for this agent (ARD v0.91, 4.2): first those about its metrics, formats, channels, specialisms and markets,
 * then those of its type.
 */
export function representativeQueries(card: SearchCard): readonly string[] {
  const { type, metrics, accreditations, channels, markets, specialisms, format_kinds: formats } = card;
  const [body] = accreditations;
  const [market] = markets;
  const where = market === undefined ? '' : ` in ${said(market)}`;
  const own = [
    ...metrics.slice(0, 2).map((metric) => `measure ${said(metric)} of a campaign`),
    ...(body === undefined ? [] : [`who is accredited by ${said(body)}`]),
    ...channels.slice(0, 2).map((channel) => `buy ${said(channel)} advertising${where}`),
    ...formats.slice(0, 1).map((format) => `who makes ${said(format)} creatives`),
    ...specialisms.slice(0, 2).map((specialism) => `find an agent for ${said(specialism)}`),
  ];
  const usual = Object.hasOwn(OF_TYPE, type) ? (OF_TYPE[type] ?? OF_ANY) : OF_ANY;
  return [...new Set([...own.slice(0, MOST_QUERIES - usual.length), ...usual])];
}

function said(text: string): string {
  return plain(text.replaceAll(/[_-]+/g, ' '), 60);
}
