import { spawn } from 'node:child_process';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

export interface RegistryProcess {
  /** Without a slash at its end. */
  readonly origin: string;
  stop(): Promise<void>;
}

/** `agent-registry serve` over this store, as an operator starts it, on a free port. */
export async function startRegistryProcess(
  store: string,
  settings: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<RegistryProcess> {
  const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0', '--store', store, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // one address asks for all pages
    env: { ...process.env, REGISTRY_LOG_LEVEL: 'warn', REGISTRY_RATE_LIMIT: '100000', ...settings },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = () => void child.kill();
  process.once('exit', kill);
  const origin = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const [, url] = /listening on (\S+)\n/.exec(output) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`the registry ended with exit code ${code}: ${output}`)));
  });
  return {
    origin,
    async stop() {
      process.off('exit', kill);
      kill();
      await ended;
    },
  };
}

/** `agent-registry heartbeat` over this store, until the end of the test or until it is told to end. */
export function startHeartbeat(
  store: string,
  settings: Readonly<Record<string, string>>,
  flags: readonly string[],
): { stop(): void } {
  const child = spawn(process.execPath, [MAIN, 'heartbeat', '--store', store, ...flags], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, REGISTRY_LOG_LEVEL: 'error', ...settings },
  });
  // what it does meanwhile is not waited for
  const stop = () => void child.kill('SIGKILL');
  process.once('exit', stop);
  return { stop };
}
