/**
 * How much of everybody's time and of ours a caller may use. This table is the only place with these numbers: routes, jobs
 * and pages name a row of it, `budgets.ts` enforces it, and docs/security.md shows it.
 *
 * A party is a member (all of its keys and sessions together) or, without a key, an IPv4 address or an IPv6 /48; a network
 * is an IPv4 /16 or an IPv6 /32; a site is a registrable domain.
 */

/** `at once`: what is under way; a use ends when its work ends. The others are fixed windows, counted from the first use. */
export type Window = 'at once' | 'minute' | 'hour' | 'day';

export interface Budget {
  /** What is counted, plural, as a refusal and the documentation name it. */
  readonly what: string;
  readonly window: Window;
  /**
   * For all callers together. No party gets more than a quarter of it, and callers without a key from one network share a
   * quarter of what is not reserved for members. Absent: nothing is shared, so each party is counted by itself.
   */
  readonly total?: number;
  /** Of the total, only for members. */
  readonly reservedForMembers?: number;
  /** Absent, as is `perAddress`: it is counted by site alone. */
  readonly perMember?: number;
  /** For a caller without a key; 0 for what only members may ask for. */
  readonly perAddress?: number;
  /** For each site that the work goes to. A party gets a quarter of it, where parties are counted. */
  readonly perSite?: number;
  /** Of `perSite`, only for members who have proven control of the site. */
  readonly reservedForOwners?: number;
}

export const BUDGETS = {
  changes: { what: 'changes by a member', window: 'minute', perMember: 120, perAddress: 0 },
  healthProbes: { what: 'health probes', window: 'minute', perMember: 600, perAddress: 600 },
  signIns: { what: 'sign-ins', window: 'minute', perMember: 20, perAddress: 0 },
  signedRequests: { what: 'signed requests', window: 'minute', perMember: 30, perAddress: 30 },
  keyLookups: {
    ...{ what: 'key look-ups for signed requests', window: 'at once', total: 32, reservedForMembers: 8 },
    ...{ perMember: 8, perAddress: 4 },
  },
  fileChecks: {
    ...{ what: 'file checks', window: 'at once', total: 16, reservedForMembers: 8 },
    ...{ perMember: 2, perAddress: 1 },
  },
  checkedKib: {
    ...{ what: 'KiB of checked files', window: 'minute', total: 49_152, reservedForMembers: 24_576 },
    ...{ perMember: 12_288, perAddress: 6_144 },
  },
  siteChecks: {
    ...{ what: 'file checks of domains', window: 'minute', total: 480, reservedForMembers: 240 },
    ...{ perMember: 30, perAddress: 10, perSite: 20, reservedForOwners: 5 },
  },
  /** For all callers together: counted where the files are fetched. */
  referredFiles: { what: 'files that checked files refer to', window: 'minute', perSite: 10 },
  exams: {
    ...{ what: 'lab exams', window: 'minute', total: 120, reservedForMembers: 60 },
    ...{ perMember: 6, perAddress: 3, perSite: 12, reservedForOwners: 3 },
  },
  runningExams: {
    ...{ what: 'lab exams', window: 'at once', total: 16, reservedForMembers: 8 },
    ...{ perMember: 2, perAddress: 1 },
  },
  productQuestions: {
    ...{ what: 'product questions', window: 'minute', total: 240, reservedForMembers: 120 },
    ...{ perMember: 12, perAddress: 6, perSite: 12, reservedForOwners: 3 },
  },
  runningProductQuestions: {
    ...{ what: 'product questions', window: 'at once', total: 16, reservedForMembers: 8 },
    ...{ perMember: 2, perAddress: 1 },
  },
  proofs: {
    ...{ what: 'proof look-ups', window: 'minute', total: 480, reservedForMembers: 240 },
    ...{ perMember: 12, perAddress: 6 },
  },
  runningProofs: {
    ...{ what: 'proof look-ups', window: 'at once', total: 64, reservedForMembers: 32 },
    ...{ perMember: 4, perAddress: 1 },
  },
  tokenTests: {
    ...{ what: 'token tests', window: 'minute', total: 120 },
    ...{ perMember: 6, perAddress: 0, perSite: 12 },
  },
  runningTokenTests: {
    ...{ what: 'token tests', window: 'at once', total: 8 },
    ...{ perMember: 2, perAddress: 0 },
  },
  crawlRequests: {
    ...{ what: 'crawl requests', window: 'hour', total: 6_600, reservedForMembers: 6_000 },
    ...{ perMember: 120, perAddress: 10, perSite: 30, reservedForOwners: 10 },
  },
  newDomains: {
    ...{
      what: 'new domains',
      window: 'day',
      total: 5_200,
      reservedForMembers: 5_000,
    },
    ...{ perMember: 100, perAddress: 3 },
  },
  streams: {
    ...{ what: 'feed streams', window: 'at once', total: 1_000, reservedForMembers: 500 },
    ...{ perMember: 10, perAddress: 5 },
  },
  subscriptionChanges: {
    ...{ what: 'changes and tests of subscriptions', window: 'hour' },
    ...{ perMember: 240, perAddress: 0, perSite: 240, reservedForOwners: 60 },
  },
  subscriptionVerifications: {
    ...{ what: 'verification messages to webhook receivers', window: 'hour', total: 2_400 },
    ...{ perMember: 120, perAddress: 0, perSite: 28, reservedForOwners: 7 },
  },
  wakeUps: {
    ...{ what: 'wake-ups to verified webhook receivers', window: 'hour' },
    ...{ perMember: 40_000, perAddress: 0, perSite: 40_000 },
  },
  receivedWebhooks: { what: 'received webhooks', window: 'minute', perMember: 600, perAddress: 600 },
  siteSeconds: {
    ...{ what: 'seconds of work for callers', window: 'hour' },
    ...{ perMember: 3_600, perAddress: 900, perSite: 900, reservedForOwners: 300 },
  },
} as const satisfies Readonly<Record<string, Budget>>;

export type BudgetName = keyof typeof BUDGETS;

/** No party uses more of a shared pool than this. */
const LARGEST_SHARE = 1 / 4;

/** What one row comes to: the limits that `budgets.ts` counts, those derived from others included. */
export interface Limits {
  readonly total?: number;
  /** Of the total, for everybody without a key. */
  readonly open?: number;
  /** Of that, for one network. */
  readonly perNetwork?: number;
  readonly perParty?: number;
  readonly perSite?: number;
  /** Of that, for everybody but the owners of the site; absent for them. */
  readonly perSiteForOthers?: number;
  readonly perPartyAndSite?: number;
}

/** The limits of a budget for a member or for a caller without a key, as owner of the site or not. */
export function limitsOf(budget: Budget, isMember: boolean, isOwner: boolean): Limits {
  const { total, reservedForMembers = 0, perMember, perAddress, perSite, reservedForOwners = 0 } = budget;
  const open = total === undefined ? undefined : total - reservedForMembers;
  const perParty = isMember ? perMember : perAddress;
  return {
    ...(total !== undefined && { total }),
    ...(open !== undefined && !isMember && { open, perNetwork: share(open) }),
    ...(perParty !== undefined && { perParty }),
    ...(perSite !== undefined && {
      perSite,
      ...(!isOwner && { perSiteForOthers: perSite - reservedForOwners }),
      ...(perParty !== undefined && { perPartyAndSite: share(perSite) }),
    }),
  };
}

function share(of: number): number {
  return Math.max(1, Math.floor(of * LARGEST_SHARE));
}
