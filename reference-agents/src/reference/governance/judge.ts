import { type Plan, taskNamed } from '@agent-registry/surface/agent-kit';
import { hundredths } from '../amounts.ts';
import { decide, type Opinion, type PlanJudgement } from './decision.ts';
import { centsOfAmount, NO_AMOUNT, spends } from './payload-money.ts';
import { limitOpinions } from './plan-limits.ts';
import { opinionsOf } from './policy-rules.ts';
import { type GovernanceQuestion, type ReadQuestion, readQuestion } from './question.ts';

/** What a plan stands at when a question is judged. */
export interface PlanStanding {
  readonly plan: Plan;
  /** Address of the agent whose plan it is. */
  readonly owner: string;
  /** Hundredths that approvals have committed; without what this very question committed before. */
  readonly committed: number;
  /** A human has approved this question; with what it may cost, where nothing else said so. */
  readonly answered?: { readonly upTo?: number };
}

export interface JudgedQuestion extends PlanJudgement {
  /** Hundredths that an approval commits; undefined when nobody said what it costs. Never more than is left. */
  readonly cost: number | undefined;
}

/** Decides by the plan alone; `now` is epoch milliseconds. Nothing in a payload makes it throw. */
export function judgePlan(standing: PlanStanding, asked: GovernanceQuestion, now: number): JudgedQuestion {
  const question = readQuestion(asked);
  const { plan, owner, answered } = standing;
  const cost = costOf(question, answered?.upTo);
  const opinions = [
    ...question.money.faults,
    ...moneyOpinions(standing, question, cost),
    ...limitOpinions(plan, owner, question, now),
    ...(plan.policies ?? []).flatMap((policy) => opinionsOf(policy, question)),
    ...taskOpinions(question),
  ];
  return { ...decide(opinions, answered !== undefined), cost };
}

/**
 * What it may cost, in hundredths. What a caller expects counts where the payload cannot say it: a price of the
 * catalogue, or by how much an update raises what was bought.
 */
function costOf({ tool, money, expectedCost }: ReadQuestion, upTo: number | undefined): number | undefined {
  const expected = expectedCost === undefined ? undefined : centsOfAmount(expectedCost.amount);
  if (tool === 'update_media_buy') return expected ?? money.cost;
  if (money.cost === undefined) return expected ?? upTo;
  return Math.max(money.cost, expected ?? 0);
}

function moneyOpinions(
  { plan, committed, answered }: PlanStanding,
  question: ReadQuestion,
  cost: number | undefined,
): readonly Opinion[] {
  const { total, currency } = plan.budget;
  const left = hundredths(total) - committed;
  const opinions: Opinion[] = currencyOpinions(question, currency);
  const { expectedCost } = question;
  if (expectedCost !== undefined && centsOfAmount(expectedCost.amount) === undefined)
    opinions.push(budget('deny', `the expected cost is ${NO_AMOUNT}`));
  if (cost === undefined)
    opinions.push(
      budget(answered === undefined ? 'escalate' : 'deny', 'the cost is unknown: send expected_cost'),
    );
  else if (cost > Math.max(0, left))
    opinions.push(
      budget('deny', `${money(cost)} ${currency} is more than the ${money(left)} ${currency} left`),
    );
  const most = plan.authority?.max_amount;
  if (cost !== undefined && most !== undefined && cost > hundredths(most)) {
    const message = `${money(cost)} ${currency} is above the authority of ${most} ${currency}`;
    opinions.push({ policyId: 'authority.max_amount', effect: 'escalate', message });
  }
  return opinions;
}

function currencyOpinions({ money: said, expectedCost }: ReadQuestion, currency: string): Opinion[] {
  const message = `the plan is in ${currency}`;
  const wrong = said.currencies
    .filter(({ value }) => value !== currency)
    .map(({ pointer }) => ({ ...budget('deny', message), pointer }));
  return expectedCost === undefined || expectedCost.currency === currency
    ? wrong
    : [...wrong, budget('deny', message)];
}

/** Nobody can tell what a task that is not known here would do, and nobody acts on an opinion. */
function taskOpinions({ tool, audience }: ReadQuestion): readonly Opinion[] {
  if (taskNamed(tool) === undefined)
    return [{ policyId: 'plan.tasks', effect: 'escalate', message: 'unknown task' }];
  if (audience !== undefined || !spends(tool)) return [];
  const message = 'the check has no audience, so no agent may act on it: repeat it with audience';
  return [{ policyId: 'plan.audience', effect: 'note', message }];
}

function budget(effect: Opinion['effect'], message: string): Opinion {
  return { policyId: 'plan.budget', effect, message };
}

function money(amount: number): string {
  return (amount / 100).toFixed(2);
}
