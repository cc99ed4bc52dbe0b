import type { AgentFacts, Contact } from './agent-facts.ts';
import type { Capabilities } from './capabilities.ts';
import type { Authorisation, Mention } from './declared-facts.ts';
import type { Finding } from './finding.ts';
import { hasAuthority, type Identity, resolveIdentity } from './identity.ts';
import { contradiction } from './infer-type.ts';

/** Findings of one kind at most. */
const MAX_OF_A_KIND = 20;

const CLAIM_HINT =
  'the claim becomes authoritative when the agent names this brand.json in identity.brand_json_url of its capabilities, and the file lists the domain of the agent in authorized_operators';

/** What files say of one agent now. */
export interface SaidOfAgent {
  readonly authorisations: readonly Claim[];
  readonly mentions: readonly Mention[];
  /** Of the publisher domains that the agent claims, those whose own file authorises it. */
  readonly agreeing: ReadonlySet<string>;
}

type Claim = Pick<Authorisation, 'publisher' | 'claimedProtocol' | 'claimedCapabilities'>;

/**
 * Where what is said of an agent and what was seen of it do not agree: claims by files without authority, a declared
 * type that its tools contradict, a protocol or tasks that a publisher promises and it does not have, publishers that
 * it claims and that do not authorise it.
 */
export function agentFindings(facts: AgentFacts, said: SaidOfAgent): readonly Finding[] {
  const kinds = [
    strangers(facts, said.mentions),
    contradictions(facts),
    otherProtocols(facts, said.authorisations),
    missingTasks(facts, said.authorisations),
    deniedClaims(facts, said.agreeing),
  ];
  return kinds.flatMap((findings) => findings.slice(0, MAX_OF_A_KIND));
}

function strangers(facts: AgentFacts, mentions: readonly Mention[]): Finding[] {
  const known = resolveIdentity(facts);
  return mentions
    .filter((mention) => mention.file === 'brand' && !hasAuthority(mention, facts))
    .flatMap((mention) => {
      const claims = claimsOf(mention, known);
      return claims.length === 0 ? [] : [without(mention.declarer, claims.join(' and '))];
    });
}

/** What a file says otherwise than the record. */
function claimsOf({ type, name, description, contact }: Mention, known: Identity): readonly string[] {
  return [
    ...(type === undefined || type === known.type ? [] : [`is ${type}`]),
    ...(name === undefined || name === known.name ? [] : [`is called "${name.slice(0, 100)}"`]),
    ...(description === undefined || description === known.description ? [] : ['has another description']),
    ...(contact === undefined || isSameContact(contact, known.contact) ? [] : ['has another contact']),
  ];
}

function isSameContact(one: Contact, other: Contact | undefined): boolean {
  return one.name === other?.name && one.email === other?.email && one.website === other?.website;
}

function without(declarer: string, claims: string): Finding {
  return {
    ...warning(
      'claim_without_authority',
      `${declarer} claims that the agent ${claims}, but is not authoritative for its domain`,
    ),
    hint: CLAIM_HINT,
  };
}

function contradictions(facts: AgentFacts): Finding[] {
  const { type, by } = resolveIdentity(facts);
  const exposed = facts.lastGood?.exposed;
  if (exposed === undefined || by.type === 'inference') return [];
  const { tools, measurement_capabilities } = exposed.capabilities;
  const sections = [...exposed.supportedProtocols, ...(measurement_capabilities ? ['measurement'] : [])];
  const found = contradiction(
    type,
    tools.map((tool) => tool.name),
    sections,
  );
  return found === undefined ? [] : [found];
}

/** An agent may answer more than one protocol, so only what was tried and answered speaks against a claim. */
function otherProtocols({ lastGood, protocol }: AgentFacts, claims: readonly Claim[]): Finding[] {
  const seen = lastGood?.protocol ?? protocol;
  if (seen === undefined) return [];
  return claims
    .filter(({ claimedProtocol }) => claimedProtocol !== undefined && claimedProtocol.toLowerCase() !== seen)
    .map(({ publisher, claimedProtocol }) =>
      warning(
        'claim_protocol_differs',
        `${publisher} claims protocol ${claimedProtocol}, but the agent uses ${seen}`,
      ),
    );
}

/** Capabilities are names of tasks (specification, 4.3). */
function missingTasks({ lastGood }: AgentFacts, claims: readonly Claim[]): Finding[] {
  if (lastGood === undefined) return [];
  return claims.flatMap(({ publisher, claimedCapabilities = [] }) => {
    const missing = notOffered(claimedCapabilities, lastGood.exposed.capabilities);
    if (missing.length === 0) return [];
    return [
      warning(
        'claim_capability_missing',
        `${publisher} claims tasks that the agent does not list: ${missing.join(', ')}`,
      ),
    ];
  });
}

/**
 * Those of the claimed tasks that an agent does not list, as they were claimed. Either may use another vocabulary, and a
 * publisher may write a name with hyphens; an agent may not, as clients call a tool by its exact name. Nothing is missing
 * from a list that was cut.
 */
export function notOffered(
  claimed: readonly string[],
  { tools, tools_count: all }: Pick<Capabilities, 'tools' | 'tools_count'>,
): readonly string[] {
  if (all > tools.length) return [];
  const offered = new Set(tools.map(({ name }) => inOneVocabulary(name)));
  const isListed = (task: string) =>
    offered.has(task) || offered.has(inOneVocabulary(task.replaceAll('-', '_')));
  return claimed.filter((task) => !isListed(task));
}

function inOneVocabulary(name: string): string {
  return name === 'get_adcp_capabilities' ? 'get_proto_capabilities' : name;
}

function deniedClaims({ lastGood }: AgentFacts, agreeing: ReadonlySet<string>): Finding[] {
  return (lastGood?.exposed.claimedPublisherDomains ?? [])
    .filter((domain) => !agreeing.has(domain))
    .map((domain) =>
      warning(
        'claim_not_confirmed',
        `the agent claims ${domain}, but the file of that domain does not authorize it`,
      ),
    );
}

function warning(code: string, message: string): Finding {
  return { severity: 'warning', code, pointer: '', message };
}
