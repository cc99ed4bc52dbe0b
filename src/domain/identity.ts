import type { AgentFacts, Contact } from './agent-facts.ts';
import type { AgentType } from './agent-type.ts';
import type { Mention } from './declared-facts.ts';
import { registrableDomain } from './domain-name.ts';
import type { Exposed } from './observation.ts';

/** Who may say what an agent is, strongest first. Anybody else only claims, and a claim changes nothing. */
const AUTHORITIES = ['owner', 'registration', 'brand', 'inference'] as const;
export type Authority = (typeof AUTHORITIES)[number];

export interface Identity {
  readonly type: AgentType;
  readonly name: string;
  readonly description?: string;
  readonly contact?: Contact;
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
  const contact = first(statements, (said) => said.contact);
  return {
    type: type?.value ?? 'unknown',
    name: name?.value ?? new URL(facts.agent).host,
    ...(description && { description: description.value }),
    ...(contact && { contact: contact.value }),
    by: { type: type?.authority ?? 'inference', name: name?.authority ?? 'inference' },
  };
}

/**
 * True when the declarer of a brand.json may say what the agent is: the file stands on the agent's registrable
 * domain, or names that domain in `authorized_operators`.
 */
export function hasAuthority(mention: Mention, agent: string, operatorDeclarers: readonly string[]): boolean {
  if (mention.file !== 'brand') return false;
  return standsOnDomainOf(mention.declarer, agent) || operatorDeclarers.includes(mention.declarer);
}

/**
 * The brand.json entries that count. A house that names the agent's domain in `authorized_operators` speaks only as
 * long as no file on that domain does: anybody can name anybody's domain, and must not overrule its owner.
 */
function brandsWithSay({ mentions, agent, operatorDeclarers }: AgentFacts): readonly Mention[] {
  const allowed = mentions.filter((mention) => hasAuthority(mention, agent, operatorDeclarers));
  const own = allowed.filter((mention) => standsOnDomainOf(mention.declarer, agent));
  return own.length > 0 ? own : allowed;
}

/** An agent that nobody declares as something and that reports metrics is a measurement agent, whatever else it does. */
function inferredType(exposed: Exposed): AgentType {
  const metrics = exposed.capabilities.measurement_capabilities?.metrics ?? [];
  return metrics.length > 0 ? 'measurement' : exposed.inferredType;
}

function standsOnDomainOf(declarer: string, agent: string): boolean {
  return registrableDomain(declarer) === registrableDomain(new URL(agent).hostname);
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
