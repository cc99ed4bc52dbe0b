import type { AgentFacts } from './agent-facts.ts';
import type { Authorisation, Mention } from './declared-facts.ts';
import type { Finding } from './finding.ts';
import { hasAuthority, resolveIdentity } from './identity.ts';
import { contradiction } from './infer-type.ts';

/**
 * Where what is said of an agent and what was seen of it do not agree: claims by files without authority, a declared
 * type that its tools contradict, publishers that it claims and that do not authorise it.
 */
export function agentFindings(
  facts: AgentFacts,
  authorisations: readonly Pick<Authorisation, 'publisher'>[],
  mentions: readonly Mention[],
): readonly Finding[] {
  return [...strangers(facts, mentions), ...contradictions(facts), ...deniedClaims(facts, authorisations)];
}

function strangers(facts: AgentFacts, mentions: readonly Mention[]): Finding[] {
  const { type } = resolveIdentity(facts);
  return mentions
    .filter((mention) => mention.file === 'brand' && mention.type !== undefined && mention.type !== type)
    .filter((mention) => !hasAuthority(mention, facts.agent, facts.operatorDeclarers))
    .map((mention) =>
      warning(
        'claim_without_authority',
        `${mention.declarer} says it is ${mention.type}, and has no say over the agent's domain`,
      ),
    );
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

function deniedClaims(
  facts: AgentFacts,
  authorisations: readonly Pick<Authorisation, 'publisher'>[],
): Finding[] {
  const agreeing = new Set([
    ...authorisations.map((item) => item.publisher),
    ...(facts.portfolio?.publishers ?? []),
  ]);
  const denied = (facts.lastGood?.exposed.claimedPublisherDomains ?? []).filter(
    (domain) => !agreeing.has(domain),
  );
  return denied
    .slice(0, 20)
    .map((domain) =>
      warning('claim_not_confirmed', `it claims ${domain}, whose own file does not authorise it`),
    );
}

function warning(code: string, message: string): Finding {
  return { severity: 'warning', code, pointer: '', message };
}
