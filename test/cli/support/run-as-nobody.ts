/**
 * Runs the command lines that its parent sends, one after the other, as a user whom permissions bind. One process for all of
 * them: loading the program takes longer than most commands do, and nobody may read what Node has kept of it compiled.
 */
import type { Ran } from './cli.ts';

export interface BoundCommand {
  readonly id: number;
  readonly args: readonly string[];
}

export interface BoundAnswer {
  readonly id: number;
  readonly ran: Ran;
}

const NOBODY = 65_534;
if (process.getuid?.() === 0) {
  process.chdir('/');
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
}
const { runCli } = await import('../../../src/cli/run-cli.ts');

const said = { stdout: '', stderr: '' };
for (const stream of ['stdout', 'stderr'] as const)
  process[stream].write = (chunk: string | Uint8Array) => {
    said[stream] += String(chunk);
    return true;
  };

process.on('message', async ({ id, args }: BoundCommand) => {
  Object.assign(said, { stdout: '', stderr: '' });
  const code = await runCli(args);
  process.send?.({ id, ran: { code, ...said } } satisfies BoundAnswer);
});
process.once('disconnect', () => process.exit());
