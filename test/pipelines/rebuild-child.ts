/**
 * A rebuild in a process of its own, for tests that kill it:
 *
 *   node test/pipelines/rebuild-child.ts STORE [STEP]
 *
 * With a step it kills itself there, as hard as the machine would; `copied` is after the first page of the copy.
 * Without one it runs to its end, and says `begun` when it begins.
 */
import { kill, pid } from 'node:process';
import { rebuild } from '../../pipelines/rebuild.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';

const [store = '', deadly] = process.argv.slice(2);
const { records, index, close } = await openStore({ ...readConfig({}), store }, { create: false });

function dieAt(step: string): void {
  if (step === deadly) kill(pid, 'SIGKILL');
}

process.stdout.write('begun\n');
const context = {
  records,
  index,
  clock: systemClock,
  signal: new AbortController().signal,
  onRefused: (error: unknown) => {
    throw error;
  },
  onProgress: (copied: number) => copied > 0 && dieAt('copied'),
  onStep: dieAt,
};
await rebuild(context, { acceptShrink: true });
await close();
