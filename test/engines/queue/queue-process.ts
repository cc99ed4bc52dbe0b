import { openPgBossQueue } from '../../../src/adapters/queue/pg-boss-queue.ts';
import type { JobKind } from '../../../src/ports/job-queue.ts';

/** What a test asks the other process to do: one method of the queue, with its arguments. */
export type Asked =
  | { readonly call: 'add'; readonly kind: JobKind; readonly keys: readonly string[] }
  | { readonly call: 'take'; readonly kind: JobKind; readonly limit: number }
  | { readonly call: 'every'; readonly name: string; readonly cron: string; readonly hangs?: true };

const [address = '', aliveSeconds = '60'] = process.argv.slice(2);

const queue = await openPgBossQueue({
  address,
  cron: true,
  aliveSeconds: Number(aliveSeconds),
  superviseSeconds: 1,
  onFault: () => {},
});
process.on('message', (asked: Asked) => void answer(asked).then((said) => process.send?.(said)));
process.send?.('ready');

async function answer(asked: Asked): Promise<unknown> {
  if (asked.call === 'take') return queue.take(asked.kind, asked.limit);
  if (asked.call === 'add')
    return queue.add(
      asked.kind,
      asked.keys.map((key) => ({ key, traceId: 'b'.repeat(32) })),
    );
  await queue.every(asked.name, asked.cron, async () => {
    process.send?.({ tick: Date.now() });
    if (asked.hangs) await new Promise(() => {});
  });
  return 'asked';
}
