import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { RegistryError } from '../../../errors.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { aborted, onInterrupt } from '../../interrupt.ts';
import { note } from '../../output/print.ts';
import { printError } from '../../output/print-error.ts';

/** An editor writes a file in several steps, which come together. */
const SETTLED_MS = 150;

/** Does something now and again whenever the file changes, one after the other, until Ctrl-C. Always ends well. */
export async function watchFile(path: string, again: () => Promise<unknown>): Promise<ExitCode> {
  const interrupt = onInterrupt();
  let timer: NodeJS.Timeout | undefined;
  let work = Promise.resolve();
  const look = (): void => {
    work = work.then(async () => {
      await again().catch(printError);
      note(`watching ${path}; Ctrl-C ends it`);
    });
  };
  // the folder, since an editor may put another file in its place
  const watcher = watchFolder(path, (name) => {
    if (name !== null && name !== basename(path)) return;
    clearTimeout(timer);
    timer = setTimeout(look, SETTLED_MS);
  });
  try {
    look();
    await aborted(interrupt.signal);
    return EXIT.interrupted;
  } finally {
    clearTimeout(timer);
    watcher.close();
    interrupt.dispose();
    await work;
  }
}

function watchFolder(path: string, onChange: (name: string | null) => void): FSWatcher {
  try {
    return watch(dirname(path), (_event, name) => onChange(name));
  } catch (cause) {
    throw new RegistryError('usage', `cannot watch ${path}`, { cause, hint: 'name a file that is there' });
  }
}
