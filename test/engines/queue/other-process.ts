import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { openPgBossQueue } from '../../../src/adapters/queue/pg-boss-queue.ts';
import type { JobQueue } from '../../../src/ports/job-queue.ts';
import type { Asked } from './queue-process.ts';

/** The queue in this process; it is closed when the test ends. */
export async function openQueue(address: string, aliveSeconds = 60): Promise<JobQueue> {
  const onFault = () => {};
  const queue = await openPgBossQueue({ address, cron: true, aliveSeconds, superviseSeconds: 1, onFault });
  onTestFinished(() => queue.close());
  return queue;
}

/** Another process on the same queue; it is killed when the test ends. */
export interface OtherProcess {
  readonly child: ChildProcess;
  ask(asked: Asked): Promise<unknown>;
}

export async function otherProcess(address: string, aliveSeconds = 60): Promise<OtherProcess> {
  const path = new URL('queue-process.ts', import.meta.url).pathname;
  const child = fork(path, [address, String(aliveSeconds)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return {
    child,
    async ask(asked) {
      const said = once(child, 'message');
      child.send(asked);
      return (await said)[0];
    },
  };
}
