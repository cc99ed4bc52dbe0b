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
}

/** Starts a program that listens and says where; it and what it started are killed when the test ends. */
export async function startServing(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<ServedProcess> {
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  onTestFinished(() => killGroup(child));
  return { child, ended, port: await portOf(child) };
}

/** Every process that it has started is in its group. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // all of them have ended
  }
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1];
        if (port !== undefined) resolve(Number(port));
      });
    }
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`ended with ${code} before it listened: ${output}`)));
  });
}

/** Whether somebody accepts connections there. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(void socket.destroy() === undefined));
    socket.once('error', () => resolve(false));
  });
}
