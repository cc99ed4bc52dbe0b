import { Server } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { run, start } from '../../../test/cli/support/cli.ts';
import { serveSandbox } from '../../src/sandbox.ts';

const FREE = ['--port', '0', '--state', 'sqlite::memory:'] as const;

it('the sandbox with a mapping that is none says so and ends', async () => {
  const { code, stderr } = await start(['sandbox', ...FREE, '--connect-to', 'nonsense']).ended;
  expect([code, stderr]).toEqual([2, expect.stringContaining('nonsense')]);
});

it('a sandbox that cannot start leaves no listener behind', async () => {
  const listen = vi.spyOn(Server.prototype, 'listen');
  onTestFinished(() => listen.mockRestore());
  const parts = {
    openFetcher: () => {
      throw new Error('no way out');
    },
  };
  await expect(serveSandbox({ seed: 1, port: 0 }, parts as never)).rejects.toThrow('no way out');
  expect((listen.mock.contexts as Server[]).map(({ listening }) => listening)).toEqual([false]);
});

it('a sandbox that is interrupted while it starts ends all the same', async () => {
  await import('../../src/commands/run-sandbox.ts'); // modules that listen for signals themselves are loaded before
  const interrupted = new Promise<void>((resolve) => {
    const listens = (name: string | symbol) => {
      if (name !== 'SIGTERM') return;
      process.off('newListener', listens);
      queueMicrotask(() => resolve(void process.emit('SIGTERM')));
    };
    process.on('newListener', listens);
  });
  const ran = run('sandbox', ...FREE, '--json');
  await interrupted;
  expect((await ran).code).toBe(0);
});
