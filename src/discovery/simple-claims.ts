import type { AgentFacts } from '../domain/agent-facts.ts';
import { notOffered } from '../domain/agent-findings.ts';
import type { AdagentsDeclaration } from '../domain/declaration.ts';
import type { Observation } from '../domain/observation.ts';
import { isOfAnother } from './simple-publisher.ts';

/** So many agents of a file are compared. */
const MAX_CLAIMING = 20;

/** What the last good look at an agent saw. */
export type SeenOfAgent = Pick<Observation, 'protocol' | 'exposed'>;

/** What a simple file says of one agent, and where the agent is otherwise. */
interface AgentClaim {
  readonly agent: string;
  /** JSON pointer of the entry. */
  readonly entry: string;
  readonly protocol?: string;
  readonly capabilities: readonly string[];
  /** The protocol that the agent answered; absent: none was seen. */
  readonly seenProtocol?: string;
  /** The agent was read; otherwise there is nothing to compare its capabilities with. */
  readonly isRead: boolean;
  readonly isOtherProtocol: boolean;
  /** Claimed tasks that the agent does not list. */
  readonly missing: readonly string[];
}

/** What a simple file says of its publisher and of its agents; nothing of it is known to be true. */
export interface SimpleClaims {
  readonly publisher?: { readonly name?: string; readonly domain?: string; readonly isOther: boolean };
  readonly agents: readonly AgentClaim[];
  /** The file names more agents. */
  readonly isCut: boolean;
}

/**
 * What a publisher's simple file (specification, 4.3) claims, beside what the domain and the agents are. Claims change
 * nothing in the record of an agent. Undefined for a file of another form.
 */
export function simpleClaims(
  declaration: AdagentsDeclaration,
  domain: string | undefined,
  seenOf: (agent: string) => SeenOfAgent | undefined,
): SimpleClaims | undefined {
  const { publisher, entries, variant } = declaration;
  if (variant !== 'simple') return undefined;
  const isOther = domain !== undefined && isOfAnother(declaration, domain);
  return {
    ...(publisher && Object.keys(publisher).length > 0 && { publisher: { ...publisher, isOther } }),
    agents: entries
      .slice(0, MAX_CLAIMING)
      .map(({ agent, pointer, claimedProtocol, claimedCapabilities = [] }) => {
        const { protocol: seenProtocol, exposed } = seenOf(agent) ?? {};
        const isOtherProtocol =
          claimedProtocol !== undefined &&
          seenProtocol !== undefined &&
          claimedProtocol.toLowerCase() !== seenProtocol;
        return {
          ...{ agent, entry: pointer, capabilities: claimedCapabilities, isOtherProtocol },
          ...(claimedProtocol !== undefined && { protocol: claimedProtocol }),
          ...(seenProtocol !== undefined && { seenProtocol }),
          isRead: exposed !== undefined,
          missing: exposed === undefined ? [] : notOffered(claimedCapabilities, exposed.capabilities),
        };
      }),
    isCut: entries.length > MAX_CLAIMING,
  };
}

/** The same for a file of the records, beside what was seen last of its agents. */
export async function claimsInRecords(
  declaration: AdagentsDeclaration,
  domain: string,
  factsOf: (agents: readonly string[]) => Promise<readonly Pick<AgentFacts, 'agent' | 'lastGood'>[]>,
): Promise<SimpleClaims | undefined> {
  if (declaration.variant !== 'simple') return undefined;
  const facts = await factsOf(declaration.entries.slice(0, MAX_CLAIMING).map(({ agent }) => agent));
  const lastGood = new Map(facts.map((known) => [known.agent, known.lastGood]));
  return simpleClaims(declaration, domain, (agent) => lastGood.get(agent));
}
