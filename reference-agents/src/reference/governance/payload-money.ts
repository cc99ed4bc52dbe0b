import { isObject, type JsonObject, member, type TaskName } from '@agent-registry/surface/agent-kit';
import { exactHundredths } from '../amounts.ts';
import type { Opinion } from './decision.ts';

/** Tasks that spend, or let somebody spend: what a plan restricts is held against these. */
export const SPENDING_TASKS: readonly string[] = [
  'create_media_buy',
  'update_media_buy',
  'activate_signal',
  'acquire_rights',
] satisfies readonly TaskName[];

export function spends(tool: string): boolean {
  return SPENDING_TASKS.includes(tool);
}

/** The most that one amount may be, in the main unit: its hundredths are exact in a double. */
export const MAX_AMOUNT = 1e12;

/** The end of a sentence. */
export const NO_AMOUNT = `no amount from 0 to ${MAX_AMOUNT} with at most two decimals`;

/** A line with its budget, in hundredths. */
export interface MoneyLine {
  readonly budget: number;
  readonly pointer: string;
}

export interface PayloadMoney {
  /** Every line that says a budget. */
  readonly lines: readonly MoneyLine[];
  /** Hundredths, in the plan's currency; undefined when the payload does not say what it costs. */
  readonly cost: number | undefined;
  /** The currencies that it names. */
  readonly currencies: readonly { readonly value: unknown; readonly pointer: string }[];
  /** Amounts that are none, and sums that are not right. */
  readonly faults: readonly Opinion[];
}

/** Hundredths of an amount from 0 to `MAX_AMOUNT` with at most two decimals; undefined for anything else. */
export function centsOfAmount(value: unknown): number | undefined {
  if (typeof value !== 'number' || !(value >= 0 && value <= MAX_AMOUNT)) return undefined;
  return exactHundredths(value);
}

/** What a payload of this task costs at most, as far as it says. Nothing in a payload can make it throw. */
export function moneyInPayload(tool: string, payload: JsonObject): PayloadMoney {
  if (tool === 'create_media_buy') return newBuy(payload);
  if (tool === 'update_media_buy') return changedBuy(payload);
  const free = tool === 'activate_signal' && payload.action === 'deactivate';
  return { ...NOTHING, cost: spends(tool) && !free ? undefined : 0 };
}

const NOTHING: PayloadMoney = { lines: [], cost: 0, currencies: [], faults: [] };

function newBuy(payload: JsonObject): PayloadMoney {
  const { lines, faults } = linesOf(payload, 'packages', { list: true, budgets: true });
  const sum = total(lines);
  const stated = member(payload, 'total_budget');
  if (stated === undefined) return { lines, cost: sum, currencies: [], faults };
  const amount = centsOfAmount(member(stated, 'amount'));
  const wrong =
    amount === undefined
      ? [fault(`the total is ${NO_AMOUNT}`, '/total_budget/amount')]
      : amount === sum
        ? []
        : [fault('the budgets of the packages do not add up to the total', '/total_budget/amount')];
  const currencies = [{ value: member(stated, 'currency'), pointer: '/total_budget/currency' }];
  return { lines, cost: Math.max(sum, amount ?? 0), currencies, faults: [...faults, ...wrong] };
}

/** What was there before is not known here: every budget that is stated counts in full. */
function changedBuy(payload: JsonObject): PayloadMoney {
  const changed = linesOf(payload, 'packages', { list: false, budgets: false });
  const added = linesOf(payload, 'new_packages', { list: false, budgets: true });
  const lines = [...changed.lines, ...added.lines];
  return { ...NOTHING, lines, cost: total(lines), faults: [...changed.faults, ...added.faults] };
}

interface Needed {
  readonly list: boolean;
  readonly budgets: boolean;
}

function linesOf(payload: JsonObject, name: string, needed: Needed): Pick<PayloadMoney, 'lines' | 'faults'> {
  const list = member(payload, name);
  if (list === undefined && !needed.list) return NOTHING;
  if (!Array.isArray(list) || (needed.list && list.length === 0))
    return { lines: [], faults: [fault('packages must be a list', `/${name}`)] };
  const lines: MoneyLine[] = [];
  const faults: Opinion[] = [];
  for (const [index, item] of list.entries()) {
    const pointer = `/${name}/${index}`;
    const budget = member(item, 'budget');
    const amount = centsOfAmount(budget);
    if (!isObject(item)) faults.push(fault('a package must be an object', pointer));
    else if (amount !== undefined) lines.push({ budget: amount, pointer: `${pointer}/budget` });
    else if (needed.budgets || budget !== undefined)
      faults.push(fault(`the budget is ${NO_AMOUNT}`, `${pointer}/budget`));
  }
  return { lines, faults };
}

function total(lines: readonly MoneyLine[]): number {
  return lines.reduce((sum, { budget }) => sum + budget, 0);
}

function fault(message: string, pointer: string): Opinion {
  return { policyId: 'plan.budget', effect: 'deny', message, pointer };
}
