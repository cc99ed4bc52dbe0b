import {
  type Problem,
  problem,
  type SyncCatalogsRequest,
  type SyncCatalogsResponse,
} from '@agent-registry/surface/agent-kit';

export type Catalog = SyncCatalogsRequest['catalogs'][number];

/** A catalogue as it is kept. */
export interface StoredCatalog {
  readonly catalog: Catalog;
  readonly status: NonNullable<SyncCatalogsResponse['catalogs'][number]['status']>;
  /** Items that were read; undefined for a feed, which the sandbox never fetches. */
  readonly items?: number;
  readonly rejected: number;
  /** Items that were left out, the first few. */
  readonly faults: readonly ItemFault[];
  /** When a seller that fetches would read the feed again, epoch milliseconds. */
  readonly nextFetchAt?: number;
}

export interface ItemFault {
  /** JSON Pointer below the catalogue. */
  readonly at: string;
  readonly message: string;
}

const MINUTE_MS = 60_000;

/** How often a feed is read; milliseconds. */
const FREQUENCIES: ReadonlyMap<string, number> = new Map([
  ['realtime', 5 * MINUTE_MS],
  ['hourly', 60 * MINUTE_MS],
  ['daily', 24 * 60 * MINUTE_MS],
  ['weekly', 7 * 24 * 60 * MINUTE_MS],
]);

const FEED_FORMATS: ReadonlySet<string> = new Set([
  'google_merchant_center',
  'facebook_catalog',
  'shopify',
  'linkedin_jobs',
  'json_lines',
  'csv',
]);

/** Items of one catalogue whose faults are told. */
const MAX_FAULTS = 20;

/** What is wrong with a catalogue as a whole; undefined when it can be kept. */
export function faultOfCatalog(
  catalog: Catalog,
  before: StoredCatalog | undefined,
  pointer: string,
): Problem | undefined {
  const { url, items, feed_format: format, update_frequency: frequency } = catalog;
  if (url !== undefined && items !== undefined) {
    return wrong(`${pointer}/items`, 'a catalogue must have either a feed or items, not both');
  }
  if (url === undefined && items === undefined && before === undefined) {
    return wrong(pointer, 'a new catalogue requires a url or items');
  }
  if (url !== undefined && !isOpenHttps(url)) {
    return wrong(`${pointer}/url`, 'the feed must be an https URL without credentials');
  }
  if (format !== undefined && !FEED_FORMATS.has(format)) {
    return wrong(`${pointer}/feed_format`, 'unsupported feed format', [...FEED_FORMATS]);
  }
  if (frequency !== undefined && !FREQUENCIES.has(frequency)) {
    return wrong(`${pointer}/update_frequency`, 'unsupported feed interval', [...FREQUENCIES.keys()]);
  }
  return undefined;
}

function isOpenHttps(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.username === '' && url.password === '';
}

function wrong(pointer: string, message: string, choices: readonly string[] = []): Problem {
  return problem('VALIDATION_ERROR', message, {
    pointer,
    ...(choices.length > 0 && { suggestion: `use one of ${choices.join(', ')}` }),
  });
}

/**
 * A catalogue as it will be kept: ready by the items that came with it, rejected when none of them can be used,
 * processing while its items are behind a feed. Members that are left out stay as they were.
 */
export function judgedCatalog(
  catalog: Catalog,
  before: StoredCatalog | undefined,
  now: number,
): StoredCatalog {
  const merged = mergedCatalog(catalog, before?.catalog);
  if (merged.items !== undefined) return withItems(merged, merged.items);
  const every = FREQUENCIES.get(merged.update_frequency ?? 'daily') as number;
  return { catalog: merged, status: 'processing', rejected: 0, faults: [], nextFetchAt: now + every };
}

/** What came with items has no feed any more, and the other way round. */
function mergedCatalog(catalog: Catalog, before: Catalog | undefined): Catalog {
  const { url, items, ...rest } = before ?? {};
  const source = catalog.url === undefined && catalog.items === undefined ? { url, items } : {};
  return JSON.parse(JSON.stringify({ ...rest, ...source, ...catalog })) as Catalog;
}

function withItems(catalog: Catalog, items: NonNullable<Catalog['items']>): StoredCatalog {
  const seen = new Set<string>();
  const faults = items.flatMap((item, index) => faultOfItem(item, seen, index));
  const good = items.length - faults.length;
  return {
    catalog,
    status: good > 0 || items.length === 0 ? 'ready' : 'rejected',
    items: good,
    rejected: faults.length,
    faults: faults.slice(0, MAX_FAULTS),
  };
}

/** An item needs an id of its own. */
function faultOfItem(item: object, seen: Set<string>, index: number): readonly ItemFault[] {
  const id = idOf(item);
  if (id === undefined) return [{ at: `/items/${index}`, message: 'the item has no id' }];
  if (seen.has(id)) return [{ at: `/items/${index}`, message: 'duplicate item id' }];
  seen.add(id);
  return [];
}

function idOf(item: object): string | undefined {
  const own = Object.entries(item).find(([name]) => name === 'id' || name === 'item_id');
  const value: unknown = own?.[1];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
