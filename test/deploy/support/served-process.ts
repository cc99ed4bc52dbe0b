import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ServedProcess {
  /** What was started; whoever sends signals knows only this one. */
  readonly child: ChildProcess;
  /** Where it or a process below it listens. */
  readonly port: number;
  /** Its exit code, as soon as it and every process below it have ended: they all hold its stdout. */
  readonly ended: Promise<number | null>;
  /** Whether it or a process below it accepts connections there; once they have ended, others may be given the port. */
  isServing(): Promise<boolean>;
}

/** Starts a program that listens and says where; it and what it started are killed when the test ends. */
export async function startServing(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<ServedProcess> {
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  onTestFinished(() => void signalGroup(child, 'SIGKILL'));
  const port = await portOf(child);
  return { child, ended, port, isServing: async () => signalGroup(child, 0) && isListening(port) };
}

/** Every process that it has started is in its group. False once all of them have ended. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return pid !== undefined && process.kill(-pid, signal);
  } catch {
    return false;
  }
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const port = /http:\/\/127\.0\.0\.1:(\d+)\D/.exec(output)?.[1];
        if (port !== undefined) resolve(Number(port));
      });
    }
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`ended with ${code} before it listened: ${output}`)));
  });
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(void socket.destroy() === undefined));
    socket.once('error', () => resolve(false));
  });
}
