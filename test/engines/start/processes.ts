/** Starting, freezing and ending the processes of an engine, their children included (Linux: reads /proc). */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_AGAIN_MS = 25;

export interface ProcessSpec {
  readonly command: string;
  readonly args: readonly string[];
  /** Working folder; must be readable for the user. */
  readonly cwd: string;
  /** Standard output and errors are appended to this file. */
  readonly logFile: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: SystemUser | undefined;
}

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Starts a process in a session of its own, so that a Ctrl-C in the terminal reaches only us. It writes to
 * a file: a pipe would fill up while nobody reads it. It does not keep this process alive.
 */
export async function startProcess(spec: ProcessSpec): Promise<ChildProcess> {
  const log = openSync(spec.logFile, 'a');
  try {
    const child = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: { PATH: process.env.PATH ?? '', ...spec.env },
      detached: true,
      stdio: ['ignore', log, log],
      ...spec.user,
    });
    await once(child, 'spawn');
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** Whether the process that we started has not ended. */
export function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Waits for the end of a process that we started; at once if it has ended. */
export async function ended(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  child.ref();
  await once(child, 'exit');
}

/** Sends the signal, and SIGKILL to the whole family if it is still there after `patienceMs`. */
export async function endProcess(
  child: ChildProcess,
  signal: NodeJS.Signals,
  patienceMs: number,
): Promise<void> {
  if (!isRunning(child)) return;
  const pid = child.pid!;
  signalFamily(pid, 'SIGCONT');
  send(pid, signal);
  const tooLong = setTimeout(() => killFamily(pid), patienceMs);
  await ended(child);
  clearTimeout(tooLong);
}

/** Stops a process and its descendants where they are, as a machine that hangs would. */
export function freezeFamily(pid: number): void {
  let known = 0;
  let family = [pid];
  // Whoever is stopped has no more children, so this ends; parents stop before their children are listed.
  while (family.length > known) {
    for (const member of family) send(member, 'SIGSTOP');
    known = family.length;
    family = familyOf(pid);
  }
}

/** Lets a frozen family go on. */
export function thawFamily(pid: number): void {
  signalFamily(pid, 'SIGCONT');
}

/** SIGKILL for a process and its descendants, with none of them able to act in between. Returns all of them; they end a little later. */
export function killFamily(pid: number): readonly number[] {
  freezeFamily(pid);
  const family = familyOf(pid);
  for (const member of family) send(member, 'SIGKILL');
  return family;
}

/** Waits until the condition holds; false when it does not within the time. */
export async function waitUntil(holds: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (performance.now() < end) {
    if (await holds()) return true;
    await sleep(LOOK_AGAIN_MS);
  }
  return false;
}

/** Whether there is a process with this id that is more than a zombie. */
export function isAlive(pid: number): boolean {
  const state = statusOf(pid)?.state;
  return state !== undefined && state !== 'Z';
}

/** The process that a process belongs to; undefined when it has ended. */
export function parentOf(pid: number): number | undefined {
  return statusOf(pid)?.parent;
}

function signalFamily(pid: number, signal: NodeJS.Signals): void {
  for (const member of familyOf(pid)) send(member, signal);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It ended meanwhile, which is what every signal of ours leads to in the end.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * The process and its descendants, parents first. Process groups would not do: each PostgreSQL backend leads
 * a group of its own.
 */
function familyOf(pid: number): number[] {
  const children = Map.groupBy(allProcesses(), (process) => process.parent);
  const family = [pid];
  for (const member of family) family.push(...(children.get(member) ?? []).map((child) => child.pid));
  return family;
}

interface ProcessStatus {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
}

function allProcesses(): ProcessStatus[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statusOf(Number(name)) ?? []);
}

/** From `/proc/PID/stat`: `pid (name) state parent …`; the name may contain spaces and brackets. */
function statusOf(pid: number): ProcessStatus | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', parent = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { pid, parent: Number(parent), state };
  } catch {
    return undefined; // it ended between the listing and the reading
  }
}
