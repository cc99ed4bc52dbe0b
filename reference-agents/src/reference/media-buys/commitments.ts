import type { Call } from '../handler.ts';
import type { Desk } from './desk.ts';
import { isFinal } from './life.ts';
import { figuresAt } from './segments.ts';
import type { StoredMediaBuy } from './stored.ts';

const COMMITMENTS = 'account_commitments';

interface StoredCommitment {
  readonly cents: number;
}

/** What an account has ordered and not been given back, in hundredths: budgets of what can still run, spend of what cannot. */
export function committedOf({ agent, owner }: Desk, { accountId, currency }: Payer): number {
  const kept = agent.state
    .collection<StoredCommitment>(COMMITMENTS, owner)
    .get(keyOf({ accountId, currency }));
  return kept?.cents ?? 0;
}

/** Whether an account has ordered anything in its currency, whatever became of it. */
export function hasOrdered({ agent, caller }: Pick<Call, 'agent' | 'caller'>, payer: Payer): boolean {
  const kept = agent.state.collection<StoredCommitment>(COMMITMENTS, caller.id).get(keyOf(payer));
  return kept !== undefined;
}

type Payer = Pick<StoredMediaBuy, 'accountId' | 'currency'>;

function keyOf({ accountId, currency }: Payer): string {
  return `${accountId} ${currency}`;
}

/** Keeps the account's sum in step with a buy that is being kept. */
export function noteCommitment(desk: Desk, before: StoredMediaBuy | undefined, after: StoredMediaBuy): void {
  const more = commitmentOf(after, desk.now) - (before === undefined ? 0 : commitmentOf(before, desk.now));
  if (more === 0) return;
  const cents = committedOf(desk, after) + more;
  desk.agent.state.collection<StoredCommitment>(COMMITMENTS, desk.owner).put(keyOf(after), { cents });
}

/** What one buy takes of its account at a moment. */
export function commitmentOf(buy: StoredMediaBuy, at: number): number {
  return buy.packages.reduce((sum, part) => {
    const over = part.canceled || isFinal(buy.status);
    return sum + (over ? figuresAt(part, at).cents : part.budget);
  }, 0);
}
