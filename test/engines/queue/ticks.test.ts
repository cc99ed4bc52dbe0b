import { once } from 'node:events';
import { expect, it } from 'vitest';
import { freshDatabase } from '../support/engines.ts';
import { openQueue, otherProcess } from './other-process.ts';

// beside the other tests of the queue, as it waits for a full minute too
it('gives a tick to another process when that of the first was killed, and when it rejects', async () => {
  const address = await freshDatabase();
  const queue = await openQueue(address, 10);
  const other = await otherProcess(address, 10);
  await other.ask({ call: 'every', name: 'crawl', cron: '* * * * *', hangs: true });
  await once(other.child, 'message');
  other.child.kill('SIGKILL');
  let ticks = 0;
  const ended = Promise.withResolvers<void>();
  await queue.every('crawl', '* * * * *', async () => {
    ticks += 1;
    if (ticks === 1) throw new Error('stopped in the middle');
    ended.resolve();
  });
  await ended.promise;
  expect(ticks).toBe(2);
  await queue.never('crawl');
});
