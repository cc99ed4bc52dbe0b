import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A file system of a few megabytes in memory. Needs the right to mount. */
export interface SmallDisk {
  readonly folder: string;
  /** Leaves not a byte; again after somebody freed some. */
  fill(): void;
  /** Removes what `fill` wrote. */
  free(): void;
  unmount(): void;
}

/** From large to small: the last ones fill the gaps. */
const CHUNKS = [1_048_576, 65_536, 4_096, 512, 1];

export function mountSmallDisk(folder: string, megabytes: number): SmallDisk {
  mkdirSync(folder, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'registry-fault', folder]);
  const ballast = join(folder, 'ballast');
  const unmount = () => void execFileSync('umount', ['--lazy', folder]);
  process.once('exit', unmount); // a run that was stopped
  return {
    folder,
    fill: () => append(ballast),
    free: () => rmSync(ballast, { force: true }),
    unmount() {
      process.off('exit', unmount);
      unmount();
    },
  };
}

function append(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (const size of CHUNKS) {
      const chunk = Buffer.alloc(size);
      while (hasWritten(file, chunk));
    }
  } finally {
    closeSync(file);
  }
}

function hasWritten(file: number, chunk: Buffer): boolean {
  try {
    return writeSync(file, chunk) === chunk.length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
