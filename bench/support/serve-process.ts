import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface ServeProcess {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

const LAUNCHER = new URL('../../bin/agent-registry.mjs', import.meta.url).pathname;

/** Starts the very `agent-registry serve` that operators run, over a store that is there, and waits until it listens. */
export async function startServe(store: string): Promise<ServeProcess> {
  const child = spawn(process.execPath, [LAUNCHER, 'serve', '--port', '0', '--store', `sqlite:${store}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, REGISTRY_LOG_LEVEL: 'error' },
  });
  const port = await portOf(child);
  return {
    port,
    pid: child.pid as number,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

async function portOf({ stdout }: ChildProcess): Promise<number> {
  if (stdout === null) throw new Error('serve has no stdout');
  const lines = createInterface({ input: stdout });
  for await (const line of lines) {
    const port = /^listening on http:\/\/.*:(\d+)$/.exec(line)?.[1];
    if (port !== undefined) {
      stdout.resume();
      return Number(port);
    }
  }
  throw new Error('serve ended before it listened');
}
