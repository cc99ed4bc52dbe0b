import { Client } from 'undici';
import { asSide } from '../../support/as-side.ts';

export interface TimedLoadInput {
  readonly requests: readonly TimedRequest[];
  readonly connections: number;
}

export interface TimedRequest {
  readonly port: number;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TimedLoad {
  /** Of each request in turn, from its beginning to the last byte. */
  readonly latenciesMs: readonly number[];
  readonly wallMs: number;
}

/** Each request once, over keep-alive connections, one at a time on each. */
await asSide(async ({ requests, connections }: TimedLoadInput): Promise<TimedLoad> => {
  const latenciesMs: number[] = [];
  const left = requests.entries();
  const ports = new Set(requests.map(({ port }) => port));
  const load = async () => {
    const clients = new Map([...ports].map((port) => [port, new Client(`http://127.0.0.1:${port}`)]));
    for (const [at, { port, path, headers = {} }] of left) {
      const begun = performance.now();
      const answer = await clients.get(port)?.request({ method: 'GET', path, headers });
      await answer?.body.dump({ limit: Number.POSITIVE_INFINITY });
      latenciesMs[at] = performance.now() - begun;
      if (answer?.statusCode !== 200) throw new Error(`${path} answered ${answer?.statusCode}`);
    }
    for (const client of clients.values()) await client.close();
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: connections }, load));
  return { latenciesMs, wallMs: performance.now() - begun };
});
