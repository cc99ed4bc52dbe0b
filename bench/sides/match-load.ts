import { Client } from 'undici';
import { asSide } from '../support/as-side.ts';
import { bodyOf, type MatchWorld } from '../support/match-world.ts';

export interface MatchLoadInput extends MatchWorld {
  readonly port: number;
  readonly operation: 'context' | 'identity';
  readonly requests: number;
  readonly connections: number;
}

/** Posts requests over keep-alive connections, one at a time on each; every request has an id of its own. */
await asSide(async (input: MatchLoadInput): Promise<number> => {
  const { port, operation, requests, connections } = input;
  let sent = 0;
  let bytes = 0;
  const load = async () => {
    const client = new Client(`http://127.0.0.1:${port}`);
    while (sent < requests) {
      const body = bodyOf(operation, sent, input);
      sent += 1;
      bytes += body.length;
      const answer = await client.request({
        method: 'POST',
        path: `/${operation}`,
        headers: { 'content-type': 'application/json' },
        body,
      });
      await answer.body.dump({ limit: Number.POSITIVE_INFINITY });
      if (answer.statusCode !== 200) throw new Error(`${operation} answered ${answer.statusCode}`);
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: connections }, load));
  return bytes / requests;
});
