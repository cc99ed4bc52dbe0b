import { spawnSync } from 'node:child_process';
import { type Holder, holderName, holderOf, nameOfHolder } from '../../src/this-process.ts';

/** The name, as the holder of a lease, of a process of this machine that has ended. */
export function deadHolder(): string {
  const us = holderOf(holderName()) as Holder;
  return nameOfHolder({ ...us, pid: spawnSync(process.execPath, ['-e', '']).pid });
}
