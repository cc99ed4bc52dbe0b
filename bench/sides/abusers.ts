import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { asSide } from '../support/as-side.ts';

export interface AbusersInput {
  readonly port: number;
  /** Each with an address of its own, one request at a time. */
  readonly atOnce: number;
  readonly forMs: number;
  /**
   * Whole requests as they go over the wire, in turn; `{n}` becomes a number that never comes again, and `{limit}` one from
   * 1,000 to 9,998 that has not come for long.
   */
  readonly requests: readonly string[];
}

export interface AbusersResult {
  /** Answers by status; `none` for a connection that ended without one. */
  readonly answers: Readonly<Record<string, number>>;
}

/** A prime, so that each request meets them all. */
const LIMITS = 8_999;
/** What an abuser waits for an answer. */
const PATIENCE_MS = 10_000;

// They are on machines of their own: here they must not take the processor from those who measure. A low priority still
// gets a slice of 3 ms at a time, for which the server waits; a task that is idle gives way at once. They get what is left.
execFileSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(process.pid)]);

/** Strangers that send what costs most, as fast as they are answered, each request over a new connection. */
await asSide(async ({ port, atOnce, forMs, requests }: AbusersInput): Promise<AbusersResult> => {
  const answers: Record<string, number> = {};
  const end = performance.now() + forMs;
  let count = 0;
  const abuse = async (number: number) => {
    while (performance.now() < end) {
      count += 1;
      const request = (requests[count % requests.length] ?? '')
        .replaceAll('{n}', String(count))
        .replaceAll('{limit}', String(1_000 + (count % LIMITS)));
      const status = await send(port, `127.9.0.${number + 1}`, request);
      answers[status] = (answers[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, number) => abuse(number)));
  return { answers };
});

async function send(port: number, localAddress: string, request: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  const chunks: Buffer[] = [];
  socket.on('error', () => {});
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  socket.write(request);
  if (!socket.closed) await once(socket, 'close');
  return /^HTTP\/1\.1 (\d{3})/.exec(chunks[0]?.toString('latin1') ?? '')?.[1] ?? 'none';
}
