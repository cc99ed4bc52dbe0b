import { createRequire } from 'node:module';
import { asSide } from '../support/as-side.ts';

export interface FeedReaderInput {
  readonly baseUrl: string;
  /** Of a page; absent: the field's JavaScript sync reads, as it is. */
  readonly limit?: number;
  readonly apiKey: string;
}

const SYNC = new URL('../../test/peers/package.json', import.meta.url).pathname;

/** Reads the whole feed; resolves how many events or authorisations that were. */
await asSide(({ limit, ...input }: FeedReaderInput) =>
  limit === undefined ? sync(input) : read(`${input.baseUrl}/api/registry/feed?limit=${limit}`),
);

async function read(url: string): Promise<number> {
  for (let [count, cursor] = [0, '']; ; ) {
    const answer = await fetch(`${url}&cursor=${cursor}`);
    const page = (await answer.json()) as { events: unknown[]; cursor: string; has_more: boolean };
    count += page.events.length;
    if (!page.has_more) return count;
    cursor = page.cursor;
  }
}

async function sync(input: Omit<FeedReaderInput, 'limit'>): Promise<number> {
  const { RegistryClient, RegistrySync } = createRequire(SYNC)('@adcp/sdk');
  const follower = new RegistrySync({ client: new RegistryClient(input) });
  await follower.start();
  follower.stop();
  return follower.getStats().authorizations;
}
