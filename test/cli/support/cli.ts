import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { runCli } from '../../../src/cli/run-cli.ts';

/** What a command left behind. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program, for tests that start it in their own way. */
export const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

/** Runs a command line in this process, with what it writes caught. */
export async function run(...args: readonly string[]): Promise<Ran> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const spies = [caught(process.stdout, stdout), caught(process.stderr, stderr)];
  try {
    const code = await runCli(args);
    return { code, stdout: stdout.join(''), stderr: stderr.join('') };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

function caught(stream: NodeJS.WriteStream, chunks: string[]) {
  return vi.spyOn(stream, 'write').mockImplementation((chunk) => {
    chunks.push(String(chunk));
    return true;
  });
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
      if (pattern.test(output)) resolve(output);
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
