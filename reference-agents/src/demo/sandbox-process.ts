import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { RegistryError } from '@agent-registry/surface/agent-kit';

export interface SandboxProcess {
  readonly origin: string;
  readonly connectTo: readonly string[];
  /** Every domain worth naming. */
  readonly domains: readonly string[];
  readonly agents: readonly string[];
  /** Where its agents keep their state, and the seed that their keys follow from. */
  readonly state: string;
  readonly seed: number;
  stop(): void;
}

const SEED = 1;

const CHILD = fileURLToPath(new URL('./sandbox-child.ts', import.meta.url));

/**
 * Starts `agent-registry sandbox` in a process of its own, as a user would, and waits until it says where it is. It ends with us.
 * `slow`: as its flag, `URL=MS`.
 */
export function startSandboxProcess(
  state: string,
  wellKnown: string,
  slow: readonly string[] = [],
): Promise<SandboxProcess> {
  const flags = [
    '--port',
    '0',
    '--seed',
    String(SEED),
    '--state',
    state,
    '--json',
    '--well-known',
    wellKnown,
    ...slow.flatMap((one) => ['--slow', one]),
  ];
  const child = spawn(process.execPath, [CHILD, 'sandbox', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'], // by the channel it learns of our end, however sudden
  });
  child.channel?.unref();
  process.once('exit', () => child.kill());
  return new Promise((resolve, reject) => {
    let output = '';
    child.once('exit', (code) =>
      reject(new RegistryError('internal', `the sandbox ended with exit code ${code}`)),
    );
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      const started = parsed(output);
      if (started === undefined) return;
      const { origin, connect_to: connectTo, domains, agents } = started;
      const stop = () => void child.kill();
      resolve({ origin, connectTo, domains: domains.all, agents, state, seed: SEED, stop });
    });
  });
}

interface Started {
  readonly origin: string;
  readonly connect_to: readonly string[];
  readonly domains: { readonly all: readonly string[] };
  readonly agents: readonly string[];
}

/** The JSON once it is complete. */
function parsed(output: string): Started | undefined {
  if (!output.endsWith('}\n')) return undefined;
  try {
    return JSON.parse(output) as Started;
  } catch {
    return undefined; // more is to come
  }
}
