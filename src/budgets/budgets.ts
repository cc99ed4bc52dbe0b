import { createHmac } from 'node:crypto';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { domainHash } from '../owners/domain-invitation.ts';
import type { Records } from '../ports/records.ts';
import { BUDGETS, type BudgetName, type Limits, limitsOf } from './table.ts';

/** Whom work is done for, and counted for. */
export interface Party {
  /** `member:` and its slug, or `address:` and an IPv4 address or IPv6 /48. */
  readonly id: string;
  /** The member; absent: a caller without a key. */
  readonly member?: string;
  /** The network of a caller without a key. */
  readonly network?: string;
}

/** A member with all of its keys and sessions. */
export function partyOfMember(member: string): Party {
  return { id: `member:${member}`, member };
}

/** One use of a budget. */
export interface Use {
  readonly party: Party;
  /** The registrable domain that the work goes to. */
  readonly site?: string;
  /** In the unit of the budget. Default 1. */
  readonly amount?: number;
}

type NameOf<At> = {
  [Name in BudgetName]: (typeof BUDGETS)[Name]['window'] extends At ? Name : never;
}[BudgetName];
/** What is counted while it is under way. */
export type RunningBudget = NameOf<'at once'>;
/** What is counted in a window of time. */
export type WindowBudget = Exclude<BudgetName, RunningBudget>;

/** Which limit was reached. */
type LimitName = 'total' | 'open' | 'network' | 'party' | 'site' | 'owners' | 'partyAndSite';

/** A refusal of ours: it says nothing about whatever was asked for, so it is never kept as an answer. */
export class BudgetExceeded extends Error {
  readonly budget: BudgetName;
  /** Whether all callers together have reached the limit, and not this one. */
  readonly isShared: boolean;
  /** Milliseconds until the same may be asked for again. */
  readonly waitMs: number;

  constructor(
    budget: BudgetName,
    limit: LimitName,
    { most, waitMs, of }: { most: number; waitMs: number; of: string },
  ) {
    const { what, window } = BUDGETS[budget];
    const when =
      window === 'at once'
        ? 'at once'
        : window === 'day'
          ? 'a day'
          : `${window === 'hour' ? 'an' : 'a'} ${window}`;
    super(`limit reached: at most ${most} ${what} ${when} for ${of}`);
    this.name = 'BudgetExceeded';
    this.budget = budget;
    this.isShared = limit === 'total' || limit === 'open';
    this.waitMs = Math.max(1, waitMs);
  }
}

/** The records that budgets are counted in, and that know who owns what. */
type BudgetRecords = Pick<Records, 'budgetStore' | 'secret'> & {
  readonly owners: Pick<Records['owners'], 'ownsSite'>;
};

export interface Budgets {
  /** Counts a use in its window; the returned function takes it back. Throws BudgetExceeded. */
  spend(name: WindowBudget, use: Use): Promise<TakeBack>;
  /** Counts several uses, or none of them. Throws BudgetExceeded. */
  spendAll(uses: readonly (readonly [WindowBudget, Use])[]): Promise<() => Promise<void>>;
  /** Counts work of this process until the returned function is called. Throws BudgetExceeded. */
  enter(name: RunningBudget, party: Party): () => void;
  /** Does work within its budgets. What rejects counts for nothing: it was refused by us, or failed on our side. */
  run<T>(job: Job, use: Use, work: () => Promise<T>): Promise<T>;
}

/** Work that a caller asks for. */
export interface Job {
  readonly running: RunningBudget;
  readonly counted: readonly WindowBudget[];
  /** How long it may hold the turn of its site, seconds. They are counted before, and then as many as it took. */
  readonly seconds?: number;
}

/** Takes back a use, or a part of its amount; a negative amount adds to it. Never rejects: while the store is unavailable the use stays counted until its window ends. */
export type TakeBack = (amount?: number) => Promise<void>;

const SECONDS = { minute: 60, hour: 3_600, day: 86_400 } as const;
/** When to try again after work of others is over. */
const RUNNING_WAIT_MS = 5_000;

interface Counted {
  readonly limit: LimitName;
  readonly key: string;
  readonly most: number;
  /** Whom the limit is for, in a sentence. */
  readonly of: string;
}

/**
 * Enforces the table of budgets. Windows are counted for all processes where the records are in PostgreSQL, and by each
 * process elsewhere; what is under way is counted by each process.
 */
export function createBudgets(records: BudgetRecords): Budgets {
  const { budgetStore: store, owners } = records;
  const limiters = new Map<string, RateLimiterAbstract>();
  const running = new Set<{ readonly name: RunningBudget; readonly party: Party }>();

  function limiterOf(name: WindowBudget, { limit, most }: Counted): RateLimiterAbstract {
    const keyPrefix = `${name}.${limit}`;
    const id = `${keyPrefix}.${most}`;
    const known = limiters.get(id);
    if (known !== undefined) return known;
    const options = { keyPrefix, points: most, duration: SECONDS[BUDGETS[name].window] };
    const made =
      store === undefined
        ? new RateLimiterMemory(options)
        : new RateLimiterPostgres({
            ...{ ...options, storeClient: store, storeType: 'pool' },
            ...{ tableName: 'budget_use', tableCreated: true, clearExpiredByTimeout: false },
          });
    limiters.set(id, made);
    return made;
  }

  /** A keyed hash of the key, so that the store does not reveal parties or sites. */
  async function hidden(key: string): Promise<string> {
    const secret = await records.secret('budgets', 32);
    return createHmac('sha256', secret).update(key).digest('base64url');
  }

  const budgets: Budgets = {
    async spend(name, { party, site, amount = 1 }) {
      const isMember = party.member !== undefined;
      const ownsSite =
        isMember &&
        site !== undefined &&
        (await owners.ownsSite(party.member, { site, joinHash: domainHash(site) }));
      const taken: ((part: number) => Promise<unknown>)[] = [];
      const takeBack: TakeBack = async (part = amount) => {
        await Promise.allSettled(taken.map((take) => take(part)));
      };
      try {
        for (const counted of countsOf(limitsOf(BUDGETS[name], isMember, ownsSite), party, site)) {
          const limiter = limiterOf(name, counted);
          const key = store === undefined ? counted.key : await hidden(counted.key);
          const { isRefused, waitMs } = await consume(limiter, key, amount);
          const until = Date.now() + waitMs;
          // what was counted in a window that is over is no credit in the next one
          taken.push(async (part) => Date.now() < until && limiter.reward(key, part));
          if (isRefused) throw new BudgetExceeded(name, counted.limit, { ...counted, waitMs });
        }
      } catch (error) {
        await takeBack();
        throw error;
      }
      return takeBack;
    },
    async spendAll(uses) {
      const taken: TakeBack[] = [];
      const takeBack = async () => void (await Promise.all(taken.map((take) => take())));
      try {
        for (const [name, use] of uses) taken.push(await budgets.spend(name, use));
      } catch (error) {
        await takeBack();
        throw error;
      }
      return takeBack;
    },
    enter(name, party) {
      const others = [...running].filter((one) => one.name === name).map((one) => one.party);
      const alike: Readonly<Partial<Record<LimitName, (other: Party) => boolean>>> = {
        party: (other) => other.id === party.id,
        network: (other) => other.network === party.network,
        open: (other) => other.member === undefined,
      };
      for (const { limit, most, of } of countsOf(
        limitsOf(BUDGETS[name], party.member !== undefined, false),
        party,
      )) {
        const counted = others.filter(alike[limit] ?? (() => true)).length;
        if (counted >= most) throw new BudgetExceeded(name, limit, { most, of, waitMs: RUNNING_WAIT_MS });
      }
      const one = { name, party };
      running.add(one);
      return () => void running.delete(one);
    },
    async run({ running: name, counted, seconds }, use, work) {
      const leave = budgets.enter(name, use.party);
      try {
        const takeBack = await budgets.spendAll(counted.map((one) => [one, use]));
        try {
          return seconds === undefined ? await work() : await timed(seconds, use, work);
        } catch (error) {
          await takeBack();
          throw error;
        }
      } finally {
        leave();
      }
    },
  };

  /**
   * The whole time is counted before, so that no two jobs count on the same; what was not needed is taken back, and what it
   * took beyond that is counted, too.
   */
  async function timed<T>(seconds: number, use: Use, work: () => Promise<T>): Promise<T> {
    const takeBack = await budgets.spend('siteSeconds', { ...use, amount: seconds });
    const from = performance.now();
    try {
      return await work();
    } finally {
      const used = Math.ceil((performance.now() - from) / 1_000);
      await takeBack(seconds - used);
    }
  }

  return budgets;
}

/** A use is counted even where it is refused. `waitMs`: until the window is over. */
async function consume(limiter: RateLimiterAbstract, key: string, amount: number) {
  try {
    return { isRefused: false, waitMs: (await limiter.consume(key, amount)).msBeforeNext };
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return { isRefused: true, waitMs: refused.msBeforeNext };
    throw refused;
  }
}

/**
 * What a use is counted against. The limits that all share come first: once one of them is reached, nothing new is remembered
 * about whoever still asks. A part for others comes before the whole that has a reserve, so that uses which are refused a moment
 * later never fill the reserve, however many come at once.
 */
function countsOf(limits: Limits, party: Party, site?: string): readonly Counted[] {
  const counts: (Counted | undefined)[] = [
    count('open', limits.open, '', 'all callers without an API key'),
    count(
      'network',
      limits.perNetwork,
      party.network ?? '',
      `all callers without an API key from ${party.network}`,
    ),
    count('total', limits.total, '', 'all callers'),
    ...(site === undefined
      ? []
      : [
          count('owners', limits.perSiteForOthers, site, `${site}, requested by anyone but its owner`),
          count('site', limits.perSite, site, site),
          count('partyAndSite', limits.perPartyAndSite, `${party.id} ${site}`, `one caller and ${site}`),
        ]),
    count(
      'party',
      limits.perParty,
      party.id,
      party.member === undefined ? 'one address without an API key' : 'one member',
    ),
  ];
  return counts.filter((one) => one !== undefined);
}

function count(limit: LimitName, most: number | undefined, key: string, of: string): Counted | undefined {
  return most === undefined ? undefined : { limit, key, most, of };
}
