import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Config, readConfig } from '../../../src/config.ts';
import { COMPILE_CACHE } from '../../support/compile-cache.ts';

const LAUNCHER = fileURLToPath(new URL('../../../bin/agent-registry.mjs', import.meta.url));
/** What a command says last, for the detail of a fault. */
const KEPT_CHARACTERS = 1_000_000;

export type Environment = Readonly<Record<string, string>>;

/** For who asks an OpenSearch that works: its answer may take long on a machine that has much else to do. */
export const PATIENT: Environment = { REGISTRY_INDEX_TIMEOUT_MS: '25000' };

/** For a store that the fault opens itself. */
export function patientConfig(env: Environment): Config {
  return readConfig({ ...env, ...PATIENT });
}

/** A command of ours in a process of its own. */
export interface Command {
  readonly child: ChildProcess;
  readonly pid: number;
  /** So far, the last million characters. */
  stdout(): string;
  stderr(): string;
  isRunning(): boolean;
  /** Resolves with all that was said on the stream once it matches; rejects when the process ends without. */
  until(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string>;
  /** Sends the signal; resolves at its end. */
  end(signal: NodeJS.Signals): Promise<Ended>;
  readonly ended: Promise<Ended>;
}

export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const running = new Set<Command>();

/** Starts `agent-registry …` as an operator does; of the environment only PATH, the compile cache and what is given. */
export function startCommand(args: readonly string[], env: Environment = {}): Command {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    env: { PATH: process.env.PATH ?? '', ...COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kept = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (chunk: Buffer) => {
      kept[stream] = (kept[stream] + chunk.toString()).slice(-KEPT_CHARACTERS);
    });
  const ended = once(child, 'close').then(([code, signal]): Ended => {
    running.delete(command);
    return { code, signal };
  });
  const command: Command = {
    child,
    pid: child.pid as number,
    stdout: () => kept.stdout,
    stderr: () => kept.stderr,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    until: (stream, pattern) => until(child, () => kept[stream], stream, pattern),
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
    ended,
  };
  running.add(command);
  return command;
}

/** Runs a command to its end. */
export async function runCommand(
  args: readonly string[],
  env: Environment = {},
): Promise<Ended & { readonly stdout: string; readonly stderr: string }> {
  const command = startCommand(args, env);
  const ended = await command.ended;
  return { ...ended, stdout: command.stdout(), stderr: command.stderr() };
}

/** Ends whatever a fault has left running. */
export async function endCommands(): Promise<void> {
  await Promise.all([...running].map((command) => command.end('SIGKILL')));
}

process.on('exit', () => {
  for (const command of running) command.child.kill('SIGKILL');
});

function until(
  child: ChildProcess,
  kept: () => string,
  stream: 'stdout' | 'stderr',
  pattern: RegExp,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (pattern.test(kept())) resolve(kept());
    };
    child[stream]?.on('data', look);
    child.once('close', (code) => reject(new Error(`ended with ${code} before ${pattern}: ${kept()}`)));
    look();
  });
}
