import type { AgentFacts, Contact, LastGood } from './agent-facts.ts';
import type { AgentType } from './agent-type.ts';
import { normalHost, parseAgentUrl } from './agent-url.ts';
import type { Mention } from './declared-facts.ts';
import { hasHost, isPublicSuffix, registrableDomain } from './domain-name.ts';
import type { Exposed } from './observation.ts';

/** Who may say what an agent is, strongest first. Anybody else only claims, and a claim changes nothing. */
const AUTHORITIES = ['owner', 'registration', 'brand', 'inference'] as const;
export type Authority = (typeof AUTHORITIES)[number];

export interface Identity {
  readonly type: AgentType;
  readonly name: string;
  readonly description?: string;
  readonly contact?: Required<Contact>;
  /** Which authority each field came from. */
  readonly by: { readonly type: Authority; readonly name: Authority };
}

/** What one authority says of the agent; members it does not know are absent. */
interface Statement {
  readonly authority: Authority;
  readonly type?: AgentType;
  readonly name?: string;
  readonly description?: string;
  readonly contact?: Contact;
}

/**
 * Type, name, description and contact, field by field, each from the strongest authority that gives it: a proven
 * owner, the operator's own registration, a brand.json with authority over the agent's domain, then inference
 * from what the agent exposes. `unknown` is no statement, so it never hides a known type.
 */
export function resolveIdentity(facts: AgentFacts): Identity {
  const statements = statementsOf(facts);
  const type = first(statements, (said) => (said.type === 'unknown' ? undefined : said.type));
  const name = first(statements, (said) => said.name);
  const description = first(statements, (said) => said.description);
  const contact = first(statements, (said) => whole(said.contact));
  return {
    type: type?.value ?? 'unknown',
    name: name?.value ?? new URL(facts.agent).host,
    ...(description && { description: description.value }),
    ...(contact && { contact: contact.value }),
    by: { type: type?.authority ?? 'inference', name: name?.authority ?? 'inference' },
  };
}

/** A contact with all its members, or none: clients of the field refuse a whole list for half of one. */
function whole({ name, email, website }: Contact = {}): Required<Contact> | undefined {
  return name && email && website ? { name, email, website } : undefined;
}

/** What decides who may say what an agent is. */
export interface Say extends Pick<AgentFacts, 'agent' | 'operatorDeclarers'> {
  readonly lastGood?: Pick<LastGood, 'exposed'>;
}

/**
 * How much weight a brand.json has over an agent, strongest first; `none` for a claim. Authority is never granted by the
 * one who claims it.
 *
 * - `own`: it stands on the agent's host, or above it on the agent's registrable domain.
 * - `house`: the agent's capabilities point to it, and it names the agent's domain in `authorized_operators`.
 * - `sister`: it stands on another host of the agent's registrable domain.
 */
type Weight = 'own' | 'house' | 'sister' | 'none';

/** True when the declarer of a brand.json may say what the agent is. */
export function hasAuthority(mention: Mention, say: Say): boolean {
  return weightOf(mention, say) !== 'none';
}

function weightOf({ file, declarer }: Mention, { agent, operatorDeclarers, lastGood }: Say): Weight {
  if (file !== 'brand') return 'none';
  const host = hostOf(agent);
  if (hasHost(declarer, host)) return 'own';
  const isPointedTo = brandHostsOf(lastGood?.exposed).includes(declarer);
  const isSister = registrableDomain(declarer) === registrableDomain(host);
  if (isPointedTo && (isSister || operatorDeclarers.includes(declarer))) return 'house';
  return isSister ? 'sister' : 'none';
}

/**
 * The domains whose brand.json an agent points back to: the host of its `identity.brand_json_url`, and the registrable
 * domain above it. A port of its own is somebody else's server, perhaps; it points to nobody.
 */
export function brandHostsOf(exposed: Pick<Exposed, 'brandJsonUrl'> | undefined): readonly string[] {
  const url = exposed?.brandJsonUrl === undefined ? null : URL.parse(exposed.brandJsonUrl);
  if (url === null || url.protocol !== 'https:' || url.port !== '') return [];
  const host = hostOf(url.href);
  return [...new Set([host, registrableDomain(host)])];
}

/** The domains by which `authorized_operators` may name an agent: its host and the registrable one. A public suffix is nobody's. */
export function operatorNamesOf(agent: string): readonly string[] {
  const host = hostOf(agent);
  return [...new Set([host, registrableDomain(host)])].filter((name) => !isPublicSuffix(name));
}

/** The brand.json entries that count: those of the strongest weight only, so that nobody adds to what an owner says. */
function brandsWithSay({ mentions, ...say }: Say & Pick<AgentFacts, 'mentions'>): readonly Mention[] {
  const byWeight = Map.groupBy(mentions, (mention) => weightOf(mention, say));
  return byWeight.get('own') ?? byWeight.get('house') ?? byWeight.get('sister') ?? [];
}

/** How the records spell the URL of an agent. */
export interface Spellings extends Say, Pick<AgentFacts, 'mentions'> {
  /** As a member registered it. */
  readonly registeredUrl?: string;
  /** As it was first declared, or as a probe reached the agent since. */
  readonly sourceUrl?: string;
}

/**
 * The URL to dial for an agent, byte for byte as it is spelt: as it was registered; else as the strongest brand.json with
 * authority over the agent spells it; else as it was first declared; else its canonical URL. Nothing else decides what is
 * dialled, and the spelling of whoever asks about the agent is no part of it: a server may answer two spellings of one
 * agent differently, and what comes of a call is kept for the agent.
 */
export function dialledUrl(spellings: Spellings): string {
  const { agent, registeredUrl, sourceUrl } = spellings;
  const declared = [registeredUrl, ...brandsWithSay(spellings).map((brand) => brand.declaredUrl), sourceUrl];
  return declared.find((url) => url !== undefined && isSpellingOf(agent, url)) ?? agent;
}

/** False for what an earlier version of this program kept for the agent, and is another one now. */
function isSpellingOf(agent: string, url: string): boolean {
  const parsed = parseAgentUrl(url);
  return parsed.ok && parsed.url === agent;
}

/** An agent that nobody declares as something and that reports metrics is a measurement agent, whatever else it does. */
function inferredType(exposed: Exposed): AgentType {
  const metrics = exposed.capabilities.measurement_capabilities?.metrics ?? [];
  return metrics.length > 0 ? 'measurement' : exposed.inferredType;
}

/** As domains are written; of an agent that its host was accepted for, or of a URL that it points to. */
function hostOf(url: string): string {
  const { hostname } = new URL(url);
  return normalHost(hostname) ?? hostname;
}

function statementsOf(facts: AgentFacts): Statement[] {
  const { registration, lastGood } = facts;
  const brands = brandsWithSay(facts);
  return [
    ...(registration
      ? [{ authority: registration.proven ? 'owner' : 'registration', ...fields(registration) } as const]
      : []),
    ...brands.map((mention) => ({ authority: 'brand', ...fields(mention) }) as const),
    ...(lastGood
      ? [
          {
            authority: 'inference',
            ...fields(lastGood.exposed),
            type: inferredType(lastGood.exposed),
          } as const,
        ]
      : []),
  ];
}

function fields(said: Omit<Statement, 'authority'>): Omit<Statement, 'authority'> {
  return {
    ...(said.type !== undefined && { type: said.type }),
    ...(said.name !== undefined && { name: said.name }),
    ...(said.description !== undefined && { description: said.description }),
    ...(said.contact !== undefined && { contact: said.contact }),
  };
}

function first<T>(
  statements: readonly Statement[],
  read: (statement: Statement) => T | undefined,
): { readonly value: T; readonly authority: Authority } | undefined {
  for (const statement of statements) {
    const value = read(statement);
    if (value !== undefined) return { value, authority: statement.authority };
  }
  return undefined;
}
