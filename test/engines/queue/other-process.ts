import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { Asked } from './queue-process.ts';

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
