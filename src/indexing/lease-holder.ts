import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * This process, as the holder of a lease: `host/process/place`. The place tells two machines or containers of one
 * name apart, because a process number means something only where it was given.
 */
export function holderName(): string {
  return `${hostname()}/${process.pid}/${place()}`;
}

/** Whether the holder was a process of this very machine that has ended. Of other machines nothing can be said. */
export function hasEnded(holder: string): boolean {
  const { host, pid, where } = partsOf(holder);
  if (host !== hostname() || where !== place() || where === '' || !Number.isInteger(pid)) return false;
  try {
    process.kill(pid, 0); // sends nothing
    return isZombie(pid);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** Dead, and its parent has not asked how it ended: in a container without an init it stays so. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** For people: `process 4711 on db1`. */
export function holderText(holder: string): string {
  const { host, pid } = partsOf(holder);
  return Number.isInteger(pid) ? `process ${pid} on ${host}` : holder;
}

function partsOf(holder: string) {
  const [host = '', pid = '', where = ''] = holder.split('/');
  return { host, pid: pid === '' ? Number.NaN : Number(pid), where };
}

let known: string | undefined;

/** This boot of the machine and its namespace of process numbers; empty where the system does not say. */
function place(): string {
  known ??= digestOf(
    () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8') + readlinkSync('/proc/self/ns/pid'),
  );
  return known;
}

function digestOf(read: () => string): string {
  try {
    return createHash('sha256').update(read()).digest('hex').slice(0, 12);
  } catch {
    return '';
  }
}
