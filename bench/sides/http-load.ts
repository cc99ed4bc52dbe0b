import { Client } from 'undici';
import { asSide } from '../support/as-side.ts';

export interface LoadInput {
  readonly port: number;
  /** Asked for in turn. */
  readonly paths: readonly string[];
  readonly requests: number;
  readonly connections: number;
}

/** Requests over keep-alive connections, one at a time on each. */
await asSide(async ({ port, paths, requests, connections }: LoadInput): Promise<void> => {
  let sent = 0;
  const load = async () => {
    const client = new Client(`http://127.0.0.1:${port}`);
    while (sent < requests) {
      const path = paths[sent % paths.length] ?? '/';
      sent += 1;
      const { statusCode, body } = await client.request({ method: 'GET', path });
      await body.dump({ limit: Number.POSITIVE_INFINITY });
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: connections }, load));
});
