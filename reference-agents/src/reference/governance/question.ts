import type { JsonObject, Money } from '@agent-registry/surface/agent-kit';
import { moneyInPayload, type PayloadMoney } from './payload-money.ts';
import { type PayloadPlaces, payloadPlaces } from './payload-places.ts';

/** What is asked: whether this caller may do this task with this payload. Addresses are in their normal form. */
export interface GovernanceQuestion {
  readonly caller: string;
  readonly tool: string;
  /** Without what no approval covers. */
  readonly payload: JsonObject;
  /** Whose task it is. */
  readonly audience?: string;
  readonly expectedCost?: Money;
}

/** A question with what was read from its payload. */
export interface ReadQuestion extends GovernanceQuestion {
  readonly money: PayloadMoney;
  readonly places: PayloadPlaces;
}

export function readQuestion(asked: GovernanceQuestion): ReadQuestion {
  const { tool, payload } = asked;
  return { ...asked, money: moneyInPayload(tool, payload), places: payloadPlaces(payload) };
}
