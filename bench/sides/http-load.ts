import { Client } from 'undici';
import { asSide } from '../support/as-side.ts';

export interface LoadInput {
  readonly port: number;
  /** Asked for in turn. */
  readonly paths: readonly string[];
  readonly requests: number;
  readonly connections: number;
}

/** Requests over keep-alive connections, one at a time on each; returns how long each took, milliseconds. */
await asSide(async ({ port, paths, requests, connections }: LoadInput): Promise<readonly number[]> => {
  let sent = 0;
  const times: number[] = [];
  const load = async () => {
    const client = new Client(`http://127.0.0.1:${port}`);
    while (sent < requests) {
      const path = paths[sent % paths.length] ?? '/';
      sent += 1;
      const begun = performance.now();
      const { statusCode, body } = await client.request({ method: 'GET', path });
      await body.dump({ limit: Number.POSITIVE_INFINITY });
      times.push(performance.now() - begun);
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: connections }, load));
  return times;
});
