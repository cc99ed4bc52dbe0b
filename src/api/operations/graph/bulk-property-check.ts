import type { FastifyInstance } from 'fastify';
import { yieldToEventLoop } from '../../../base/event-loop.ts';
import { stableUuid } from '../../../base/stable-uuid.ts';
import { IDENTIFIER_TYPES } from '../../../discovery/read-property.ts';
import { type PropertyIdentifier, SITE_TYPES } from '../../../domain/declaration.ts';
import { isPublicSuffix, isTopLevel, sitesAbove } from '../../../domain/domain-name.ts';
import { CHECKED_AT_ONCE, checkOperations, type ReportedCheck } from './check-report.ts';
import { canonicalOf } from './property-checks.ts';
import { type GraphParts, MAX_SHOWN } from './reading.ts';

/** Longer than any identifier, characters. */
const MAX_IDENTIFIER = 2_000;

/** What to do about each verdict. */
const ACTIONS = {
  ready: 'no action: agents can be queried for it',
  known: 'publish an adagents.json on the domain, or correct the existing one',
  unknown: 'check the spelling; to crawl a domain, use POST /api/registry/crawl-request',
} as const;
type Verdict = keyof typeof ACTIONS;

const BULK_CHECK: ReportedCheck = {
  path: '/api/properties/check/bulk',
  member: 'identifiers',
  reports: 'reports of bulk property checks',
  question: 'BulkPropertyQuestion',
  check: {
    operationId: 'bulkPropertyCheck',
    summary: 'Check a list of identifiers without their types',
    description:
      'Each text is an identifier or `TYPE:VALUE`. Without a type, the type is taken from the publisher that lists it, otherwise inferred from its form. `ready`: a valid file covers it. `known`: a domain without a valid file. `ad_infra` is always 0 because this registry keeps no such list. Blank texts, `#` comments and invalid identifiers are skipped and have no entry. Entries are truncated at 2 MiB; the counts are exact.',
    answers: 'BulkPropertyCheck',
  },
  report: {
    operationId: 'getBulkPropertyCheckReport',
    summary: 'Get the counts of an earlier check of identifiers',
    description:
      'Available for 7 days. The id contains the signed counts; submitted lists are not stored, so `entries` is empty.',
    answers: 'BulkPropertyReport',
  },
  reportHas: { entries: [] },
  async judge(parts, texts) {
    const entries = await entriesOf(parts, texts);
    const counts = { ready: 0, known: 0, ad_infra: 0, unknown: 0 };
    for (const { verdict } of entries) counts[verdict] += 1;
    const summary = { total: texts.length, ...counts, skipped: texts.length - entries.length };
    return { summary, found: { entries } };
  },
};

/** POST /api/properties/check/bulk and GET /api/properties/check/bulk/{reportId}. */
export function bulkPropertyCheckOperations(server: FastifyInstance, parts: GraphParts): void {
  checkOperations(server, parts, BULK_CHECK);
}

/** An entry for each text that can be an identifier, in the order in which they came. */
async function entriesOf({ records: { graph } }: GraphParts, texts: readonly string[]) {
  const entries: ReturnType<typeof entryOf>[] = [];
  for (let at = 0; at < texts.length; at += CHECKED_AT_ONCE) {
    await yieldToEventLoop();
    const meant = texts.slice(at, at + CHECKED_AT_ONCE).map((text) => ({ text, may: meaningsOf(text) }));
    const all = meant.flatMap(({ may }) => may);
    const sites = all.flatMap(({ type, value }) => (SITE_TYPES.has(type) ? sitesAbove(value) : []));
    const [publishers, listed] = await Promise.all([
      graph.publishersAmong([...new Set(sites)]),
      graph.areListed(all),
    ]);
    const valid = new Set(publishers.filter(({ isValid }) => isValid).map(({ domain }) => domain));
    const seen = new Set(publishers.map(({ domain }) => domain));
    const isListed = new Set(all.filter((_one, place) => listed[place]));
    const verdictOf = (one: PropertyIdentifier): Verdict => {
      if (!SITE_TYPES.has(one.type)) return isListed.has(one) ? 'ready' : 'unknown';
      if (sitesAbove(one.value).some((site) => valid.has(site))) return 'ready';
      return isListed.has(one) || seen.has(one.value) ? 'known' : 'unknown';
    };
    for (const { text, may } of meant) {
      const judged = may.map((one) => ({ one, verdict: verdictOf(one) }));
      const best = BEST_FIRST.map((verdict) => judged.find((each) => each.verdict === verdict)).find(Boolean);
      if (best !== undefined) entries.push(entryOf(text, best.one, best.verdict));
    }
  }
  return entries;
}

const BEST_FIRST: readonly Verdict[] = ['ready', 'known', 'unknown'];

function entryOf(text: string, identifier: PropertyIdentifier, verdict: Verdict) {
  const isReady = verdict === 'ready';
  return {
    input: text.slice(0, MAX_SHOWN),
    identifier,
    verdict,
    classification: isReady ? 'property' : null,
    source: isReady ? 'authoritative' : null,
    property_rid: isReady ? stableUuid(identifier.type, identifier.value) : null,
    action: ACTIONS[verdict],
  };
}

/** What the reverse name of an app may be. */
const APP_NAMES = ['android_package', 'ios_bundle', 'bundle_id', 'google_play_id', 'apple_tv_bundle'];
/** What a number may be. */
const APP_NUMBERS = ['apple_app_store_id', 'roku_store_id', 'samsung_app_id', 'apple_podcast_id'];
const APP_NAME = /^[a-z][\w-]*(?:\.[\w-]+)+$/i;
const AMAZON_NUMBER = /^B0[0-9A-Z]{8}$/;

/** What a text may mean, the likeliest first; none for what is no identifier. Pure. */
function meaningsOf(text: string): readonly PropertyIdentifier[] {
  const value = text.trim();
  if (value === '' || value.startsWith('#') || value.length > MAX_IDENTIFIER) return [];
  const colon = value.indexOf(':');
  const type = colon < 0 ? '' : value.slice(0, colon).toLowerCase();
  if (IDENTIFIER_TYPES.has(type)) return asEach([type], value.slice(colon + 1).trim());
  if (SITE_TYPES.has(type)) return asSite(type, value.slice(colon + 1));
  if (/^\d+$/.test(value)) return asEach(APP_NUMBERS, value);
  if (AMAZON_NUMBER.test(value)) return asEach(['fire_tv_asin'], value);
  const site = asSite('domain', value);
  const isSuffix = isPublicSuffix(value.toLowerCase());
  if (!APP_NAME.test(value) || isSuffix) return site;
  const app = asEach(APP_NAMES, value);
  // com.example.news: names of apps begin where names of sites end
  const [first = '', ...others] = value.toLowerCase().split('.');
  return others.length > 1 && isTopLevel(first) ? [...app, ...site] : [...site, ...app];
}

function asEach(types: readonly string[], value: string): readonly PropertyIdentifier[] {
  return value === '' ? [] : types.map((type) => ({ type, value }));
}

function asSite(type: string, text: string): readonly PropertyIdentifier[] {
  const { domain } = canonicalOf(text);
  return domain === undefined ? [] : [{ type, value: domain }];
}
