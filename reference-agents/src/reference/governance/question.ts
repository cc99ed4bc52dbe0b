import type { Money } from 'agent-registry/agent-kit';
import { moneyOf, type PayloadMoney } from './payload-money.ts';
import { type Json, type PayloadPlaces, placesOf } from './payload-places.ts';

/** What is asked: whether this caller may do this task with this payload. Addresses are in their normal form. */
export interface Question {
  readonly caller: string;
  readonly tool: string;
  /** Without what no approval covers. */
  readonly payload: Json;
  /** Whose task it is. */
  readonly audience?: string;
  readonly expectedCost?: Money;
}

/** A question with what was read from its payload. */
export interface ReadQuestion extends Question {
  readonly money: PayloadMoney;
  readonly places: PayloadPlaces;
}

export function readQuestion(asked: Question): ReadQuestion {
  const { tool, payload } = asked;
  return { ...asked, money: moneyOf(tool, payload), places: placesOf(payload) };
}
