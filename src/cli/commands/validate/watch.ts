import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { RegistryError } from '../../../errors.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { aborted, onInterrupt } from '../../interrupt.ts';
import { note } from '../../output/print.ts';
import { printError } from '../../output/print-error.ts';

/** An editor writes a file in several steps, which come together. */
const SETTLED_MS = 150;

/** Runs `again` at once and after each change of the file, one run at a time, until Ctrl-C. */
export async function watchFile(path: string, again: () => Promise<unknown>): Promise<ExitCode> {
  const interrupt = onInterrupt();
  let timer: NodeJS.Timeout | undefined;
  let work = Promise.resolve();
  const look = (): void => {
    work = work.then(async () => {
      await again().catch(printError);
      note(`watching ${path}; press Ctrl-C to stop`);
    });
  };
  const watchers = watchFolders(path, () => {
    clearTimeout(timer);
    timer = setTimeout(look, SETTLED_MS);
  });
  try {
    look();
    await aborted(interrupt.signal);
    return EXIT.interrupted;
  } finally {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
    interrupt.dispose();
    await work;
  }
}

/** The folder, since an editor may put another file in its place; behind a symbolic link that of the file itself, too. */
function watchFolders(path: string, onChange: () => void): readonly FSWatcher[] {
  try {
    const places = new Set([resolve(path), realpathSync(path)]);
    return [...places].map((place) => {
      const watcher = watch(dirname(place), (_event, name) => {
        if (name === null || name === basename(place)) onChange();
      });
      const lost = (cause: Error) => new RegistryError('usage', `stopped watching ${path}`, { cause });
      return watcher.on('error', (cause) => printError(lost(cause)));
    });
  } catch (cause) {
    throw new RegistryError('usage', `cannot watch ${path}`, { cause, hint: 'pass an existing file' });
  }
}
