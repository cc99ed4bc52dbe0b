import { AsyncLocalStorage } from 'node:async_hooks';
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { runCli } from '../../../src/cli/run-cli.ts';

/** What a command left behind. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program, for tests that start it in their own way. */
export const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

/** A command in this process: several may run at once. */
interface Inside {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** What it does on signals; with its process these would go too. */
  readonly onSignal: (readonly [name: string, listener: NodeJS.SignalsListener])[];
}

const inside = new AsyncLocalStorage<Inside>();
process.on('newListener', (event, listener) => {
  if (/^SIG(INT|TERM)$/.test(String(event))) inside.getStore()?.onSignal.push([String(event), listener]);
});
for (const name of ['stdout', 'stderr'] as const) {
  const write = process[name].write.bind(process[name]) as (...args: unknown[]) => boolean;
  process[name].write = (...args: readonly unknown[]) => {
    const caught = inside.getStore()?.[name];
    if (caught === undefined) return write(...args);
    caught(String(args[0]));
    return true;
  };
}

/** Runs a command line in this process, with what it writes caught. */
export function run(...args: readonly string[]): Promise<Ran> {
  return begin(...args).ended;
}

/** A command that runs in this process, beside its test. */
export interface Begun {
  readonly ended: Promise<Ran>;
  /** Resolves with the text of stdout or stderr as soon as it matches; rejects when the command ends first. */
  until(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string>;
  /** As by SIGTERM; resolves when it has ended. */
  stop(): Promise<Ran>;
}

/**
 * Begins a command line in this process, which costs a tenth of a start. Whoever begins one that goes on stops it. Signals that
 * kill, stdin and the lines of the log need `start`.
 */
export function begin(...args: readonly string[]): Begun {
  const written = { stdout: '', stderr: '' };
  const seen = new EventEmitter();
  const caught = (name: keyof typeof written) => (text: string) => {
    written[name] += text;
    seen.emit('text');
  };
  let isOver = false;
  const onSignal: [string, NodeJS.SignalsListener][] = [];
  const ended = inside
    .run({ stdout: caught('stdout'), stderr: caught('stderr'), onSignal }, () => runCli(args))
    .then((code) => ({ code, ...written }))
    .finally(() => {
      isOver = true;
      for (const [name, listener] of onSignal) process.off(name, listener);
      seen.emit('text');
    });
  return {
    ended,
    until(stream, pattern) {
      return new Promise((resolve, reject) => {
        const look = () => {
          if (pattern.test(written[stream])) resolve(written[stream]);
          else if (isOver) reject(new Error(`ended before ${pattern}: ${written.stdout}${written.stderr}`));
          else return;
          seen.off('text', look);
        };
        seen.on('text', look);
        look();
      });
    },
    stop() {
      for (const [name, listener] of isOver ? [] : onSignal) if (name === 'SIGTERM') listener('SIGTERM');
      return ended;
    },
  };
}

/** A command in a process of its own. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
  /** Resolves with the text of stdout or stderr as soon as it matches; rejects when the process ends first. */
  until(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string>;
}

export interface StartOptions {
  readonly input?: string;
  readonly cwd?: string;
  /** A file that its stdout goes to, and is then not seen. */
  readonly stdout?: string;
  /** Started in the place of the program, which it has to import. */
  readonly script?: string;
}

/** Starts a command as a user would; it is killed when the test ends. */
export function start(args: readonly string[], options: StartOptions = {}): Started {
  const stdout = options.stdout === undefined ? 'pipe' : openSync(options.stdout, 'w');
  const child = spawn(process.execPath, [options.script ?? MAIN, ...args], {
    stdio: ['pipe', stdout, 'pipe'],
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  }) as ChildProcessWithoutNullStreams;
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => {}); // it may end without reading
  child.stdin.end(options.input ?? '');
  const code = new Promise<number | null>((resolve) => child.once('close', (status) => resolve(status)));
  const ended = Promise.all([
    code,
    options.stdout === undefined ? text(child.stdout) : '',
    text(child.stderr),
  ]).then(([status, stdout, stderr]): Ran => ({ code: status, stdout, stderr }));
  return { child, ended, until: (stream, pattern) => seen(child, stream, pattern) };
}

function seen(child: ChildProcess, stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child[stream]?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      // what is written at once may come in parts
      if (output.endsWith('\n') && pattern.test(output)) resolve(output);
    });
    let told = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      told += chunk.toString();
    });
    child.once('close', (status) =>
      reject(new Error(`ended with ${status} before ${pattern}: ${output}${told}`)),
    );
  });
}

/** A folder that goes with the test. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'registry-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A store address in a folder of its own; nothing is there yet. */
export function tempStore(): string {
  return `sqlite:${join(tempFolder(), 'store.sqlite')}`;
}
