import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'undici';
import { asSide } from '../support/as-side.ts';

export interface HonestInput {
  readonly port: number;
  /** Each from an address of its own, over one connection. */
  readonly clients: number;
  /** The number of the first address, where others load the same server; default 0. */
  readonly firstClient?: number;
  readonly forMs: number;
  /** Asked for in turn; the clients begin at places spread over all of them. */
  readonly paths: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HonestResult {
  /** Of each request, from its begin to the end of its answer. */
  readonly ms: readonly number[];
  /** Whatever was no 200 or 304, by status; 0 for a connection that broke. */
  readonly failed: Readonly<Record<string, number>>;
}

/** On the average between two requests of a client; an address may make 600 a minute. */
const PAUSE_MS = 200;

/** Clients that behave: one request at a time, each with its pause, the entity tag of the last answer kept. */
await asSide(
  async ({
    port,
    clients,
    firstClient = 0,
    forMs,
    paths,
    headers = {},
  }: HonestInput): Promise<HonestResult> => {
    const ms: number[] = [];
    const failed: Record<string, number> = {};
    const end = performance.now() + forMs;
    const behave = async (number: number) => {
      const place = firstClient + number;
      const localAddress = `127.1.${place >> 8}.${(place & 255) + 1}`;
      const client = new Client(`http://127.0.0.1:${port}`, { localAddress });
      for (let sent = Math.floor((number / clients) * paths.length); performance.now() < end; sent += 1) {
        await delay(Math.random() * 2 * PAUSE_MS);
        const begun = performance.now();
        const status = await ask(client, paths[sent % paths.length] ?? '/', headers);
        ms.push(performance.now() - begun);
        if (status !== 200) failed[status] = (failed[status] ?? 0) + 1;
      }
      await client.destroy();
    };
    await Promise.all(Array.from({ length: clients }, (_, number) => behave(number)));
    return { ms, failed };
  },
);

async function ask(client: Client, path: string, headers: Record<string, string>): Promise<number> {
  try {
    const { statusCode, body } = await client.request({ method: 'GET', path, headers });
    await body.dump({ limit: Number.POSITIVE_INFINITY });
    return statusCode;
  } catch {
    return 0;
  }
}
