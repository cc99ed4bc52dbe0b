import { hash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process as the holder of a lease, a turn or a run. */
export interface Holder {
  readonly host: string;
  readonly pid: number;
  /** When it began, as its system counts: a process number is given out again. Empty where the system does not say. */
  readonly started: string;
  /** Where the process number was given: a boot of a machine and its namespace. Empty where the system does not say. */
  readonly place: string;
}

/** The name of this process as the holder of a lease, a turn or a run: of no other one, here or elsewhere. */
export function holderName(): string {
  return nameOfHolder(thisHolder());
}

/** Whether the holder was a process of this very machine that has ended. Of other machines nothing can be said. */
export function hasEnded(name: string): boolean {
  const holder = holderOf(name);
  const { host, place } = thisHolder();
  if (holder === undefined || place === '') return false;
  return holder.host === host && holder.place === place && isGone(holder);
}

/**
 * Whether another process works under that name, as far as can be seen. One of our host's name that began before a
 * restart of it, or in another container, does not: a run that its process has left is gone on with.
 */
export function isAtWorkElsewhere(name: string): boolean {
  const holder = holderOf(name);
  const { host, place } = thisHolder();
  if (holder === undefined || name === holderName()) return false;
  return holder.host !== host || (holder.place === place && !isGone(holder));
}

/** For people: `process 4711 on db1`. */
export function holderText(name: string): string {
  const holder = holderOf(name);
  return holder === undefined ? name : `process ${holder.pid} on ${holder.host}`;
}

/** The name under which a holder is kept in the records: `host/process/started/place`. */
export function nameOfHolder({ host, pid, started, place }: Holder): string {
  return [host, pid, started, place].join('/');
}

/** The holder of that name; undefined for a name that was not made by `nameOfHolder`. */
export function holderOf(name: string): Holder | undefined {
  const [host = '', pid = '', started = '', place, ...more] = name.split('/');
  if (place === undefined || more.length > 0 || !/^\d+$/.test(pid)) return undefined;
  return { host, pid: Number(pid), started, place };
}

let us: Holder | undefined;

/** This process. */
function thisHolder(): Holder {
  us ??= {
    host: hostname(),
    pid: process.pid,
    started: statusOf(process.pid)?.started ?? '',
    place: thisPlace(),
  };
  return us;
}

function thisPlace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    return hash('sha256', boot + readlinkSync('/proc/self/ns/pid')).slice(0, 12);
  } catch {
    return '';
  }
}

function isGone({ pid, started }: Holder): boolean {
  const status = statusOf(pid);
  if (status === undefined) return !isThere(pid);
  return status.isZombie || (started !== '' && status.started !== started);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0); // sends nothing
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

interface Status {
  /** In ticks since the boot. */
  readonly started: string;
  /** Dead, and its parent has not asked how it ended: in a container without an init it stays so. */
  readonly isZombie: boolean;
}

/** What Linux says of a process (proc_pid_stat(5)); its name, in brackets, may hold anything. */
function statusOf(pid: number): Status | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { started: fields[19] ?? '', isZombie: fields[0] === 'Z' };
  } catch {
    return undefined;
  }
}
