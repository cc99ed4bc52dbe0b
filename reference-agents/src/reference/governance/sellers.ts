import { type AgentStates, type AgentType, member } from '@agent-registry/surface/agent-kit';
import { type AgentSpec, brandJsonOf, identityOf } from '../../agents/agent.ts';
import type { StoredAccount } from '../accounts/stored-account.ts';
import { refuse, type SellerDirectory, type TaskCall } from '../handler.ts';
import { addressOf } from './plan-store.ts';

/** Whose tasks they are that need an approval. */
const SELLER_TYPES: Readonly<Record<string, AgentType>> = {
  create_media_buy: 'sales',
  update_media_buy: 'sales',
  activate_signal: 'signals',
  acquire_rights: 'rights',
};

/** Candidates that a refusal names. */
const MOST_NAMED = 10;

/**
 * Finds the seller of a payload that names none: the only seller of its `account.operator`. Undefined if the task needs no
 * approval, the payload has no operator, or none of its sellers is known. Throws `CONFLICT` with the candidates if there are
 * several, except to agents of the public protocol, which have no field to choose one with.
 */
export function sellerOfOperator(tool: string, payload: unknown, call: TaskCall): string | undefined {
  const account = member(payload, 'account');
  const operator = member(account, 'operator');
  const type = Object.hasOwn(SELLER_TYPES, tool) ? SELLER_TYPES[tool] : undefined;
  if (type === undefined || typeof operator !== 'string') return undefined;
  const brand = member(member(account, 'brand'), 'domain');
  const sellers = call.agent.sellers.of({
    type,
    operator,
    caller: call.caller.id,
    ...(typeof brand === 'string' && { brand }),
  });
  const [only, ...others] = sellers;
  if (others.length === 0) return only;
  if (call.agent.facts.vocabulary === 'adcp') return undefined;
  const named = sellers.slice(0, MOST_NAMED).join(', ');
  return refuse(
    'CONFLICT',
    `the operator of the account has ${sellers.length} sellers, and the approval has to be for one of them: ${named}`,
    '/payload/account/operator',
    'set one of them as seller_agent_url in the payload, or as audience',
  );
}

/**
 * Looks up an operator's sellers: those its brand.json declares or, failing that, those where the caller has an account
 * under that operator. Other callers' accounts are never consulted, so a refusal can't reveal where they buy.
 */
export function createSellerDirectory(states: AgentStates, specs: readonly AgentSpec[]): SellerDirectory {
  return {
    of({ type, operator, brand, caller }) {
      const wanted = operator.toLowerCase();
      const ofType = specs.filter((spec) => spec.type === type);
      const own = ofType.filter((spec) => new URL(brandJsonOf(spec)).hostname === wanted);
      const sellers = own.length > 0 ? own : ofType.filter((spec) => hasAccount(spec));
      return sellers.map(({ url }) => addressOf(url));

      function hasAccount({ url }: AgentSpec): boolean {
        const accounts = states.of(identityOf(url)).collection<StoredAccount>('accounts', caller).list();
        return accounts.some(
          ({ document: account }) =>
            account.operator.toLowerCase() === wanted &&
            (brand === undefined || account.brand.domain.toLowerCase() === brand.toLowerCase()) &&
            account.status !== 'closed' &&
            account.status !== 'rejected',
        );
      }
    },
  };
}
