import { LRUCache } from 'lru-cache';

/** A page, ready to be sent. */
export interface ReadyPage {
  /** The JSON of its events. */
  readonly json: Buffer;
  /** Of the next page. */
  readonly cursor: string;
  readonly hasMore: boolean;
}

/** Reads the page at a cursor; absent: the first one. */
type ReadPage = (cursor: string | undefined) => Promise<ReadyPage>;

/** Readers that are waited for; a page of each may lie here. */
const MAX_READERS = 4;
/** A reader that takes longer gets a page of its own. */
const KEPT_MS = 30_000;

/**
 * Pages that are made while their readers take in those before: a first read takes as long as its slower side, and not as long
 * as both. Only who came here for two pages one after the other has the next one made, as others share their reading among
 * several processes. The last page is always made when it is asked for: whoever has read it knows all that was there then.
 */
export function createPagesAhead(): {
  /** Readings that are `alike` have the same pages; `now` is in epoch milliseconds. */
  read(alike: string, cursor: string | undefined, read: ReadPage, now: number): Promise<ReadyPage>;
} {
  const awaited = new LRUCache<
    string,
    { readonly at: number; readonly page?: Promise<ReadyPage | undefined> }
  >({ max: MAX_READERS });
  return {
    async read(alike, cursor, read, now) {
      const place = `${cursor} ${alike}`;
      const found = awaited.get(place);
      awaited.delete(place);
      const made = found && now - found.at < KEPT_MS ? await found.page : undefined;
      const page = made?.hasMore ? made : await read(cursor);
      if (!page.hasMore) return page;
      const next = found && { page: read(page.cursor).catch(() => undefined) };
      awaited.set(`${page.cursor} ${alike}`, { at: now, ...next });
      return page;
    },
  };
}
