import type { TaskCall } from '../handler.ts';
import type { BuyerScope } from './buyer-scope.ts';
import { isFinal } from './life.ts';
import { figuresAt } from './segments.ts';
import type { StoredMediaBuy } from './stored.ts';

const COMMITMENTS = 'account_commitments';

interface StoredCommitment {
  readonly cents: number;
}

/** What an account has ordered and not been given back, in hundredths: budgets of what can still run, spend of what cannot. */
export function committedOf({ agent, owner }: BuyerScope, { accountId, currency }: Payer): number {
  const kept = agent.state
    .collection<StoredCommitment>(COMMITMENTS, owner)
    .get(keyOf({ accountId, currency }));
  return kept?.cents ?? 0;
}

/** Whether an account has ordered anything in its currency, whatever became of it. */
export function hasOrdered({ agent, caller }: Pick<TaskCall, 'agent' | 'caller'>, payer: Payer): boolean {
  const kept = agent.state.collection<StoredCommitment>(COMMITMENTS, caller.id).get(keyOf(payer));
  return kept !== undefined;
}

type Payer = Pick<StoredMediaBuy, 'accountId' | 'currency'>;

function keyOf({ accountId, currency }: Payer): string {
  return `${accountId} ${currency}`;
}

/** Keeps the account's sum in step with a buy that is being kept. */
export function noteCommitment(
  scope: BuyerScope,
  before: StoredMediaBuy | undefined,
  after: StoredMediaBuy,
): void {
  const more = commitmentOf(after, scope.now) - (before === undefined ? 0 : commitmentOf(before, scope.now));
  if (more === 0) return;
  const cents = committedOf(scope, after) + more;
  scope.agent.state.collection<StoredCommitment>(COMMITMENTS, scope.owner).put(keyOf(after), { cents });
}

/** What one buy takes of its account at a moment. */
export function commitmentOf(buy: StoredMediaBuy, at: number): number {
  return buy.packages.reduce((sum, part) => {
    const over = part.canceled || isFinal(buy.status);
    return sum + (over ? figuresAt(part, at).cents : part.budget);
  }, 0);
}
