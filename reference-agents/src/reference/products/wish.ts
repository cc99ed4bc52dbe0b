import type { Money } from '@agent-registry/surface/agent-kit';
import type { Meaning } from './lexicon.ts';

/** How something is named: as it is, not, nothing but, rather more of, rather less of. */
export type Mode = 'plain' | 'not' | 'only' | 'more' | 'less';

export interface WishTerm extends Meaning {
  readonly mode: Mode;
}

/** An amount; the currency when it was named. */
export interface Amount {
  readonly amount: number;
  readonly currency?: Money['currency'];
}

/** The highest price, of one pricing model when one was named. */
export interface PriceLimit extends Amount {
  readonly model?: string;
}

/** What a text in plain words asks for. */
export interface BriefWish {
  /** Each once, in the order in which they were named first. */
  readonly mentions: readonly WishTerm[];
  readonly budget?: Amount;
  /** Of one unit of the pricing model. */
  readonly maxPrice?: PriceLimit;
  /** Length of the flight in days. */
  readonly days?: number;
  /** At most so many products. */
  readonly limit?: number;
  /** Clauses in which nothing was understood. */
  readonly strangeClauses: number;
}

export const NO_WISH: BriefWish = { mentions: [], strangeClauses: 0 };
