import type { Clock } from '@agent-registry/surface/agent-kit';
import {
  composeFetcher,
  composeKeyDirectory,
  openAgentStates,
  openReplayStore,
  parseConnectTo,
  readConfig,
  systemClock,
} from '@agent-registry/surface/registry';
import type { Sandbox, SandboxOptions } from './sandbox.ts';

export interface ComposedSandboxOptions extends SandboxOptions {
  /** SQLite file with the state of its agents; default: one that ends with the process. */
  readonly state?: string;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Hears of faults of the sandbox itself. Default: they are thrown, where nobody catches them. */
  readonly onFault?: (error: unknown) => void;
}

/** All agents wait with whoever waits for another process's write; soon they say so, and their callers try again. */
const BUSY = { busyTimeoutMs: 1_000 } as const;

/** Starts the sandbox on its engines. Rejects as `serveSandbox` does, and with a RegistryError `store_…`. */
export async function startSandbox(options: ComposedSandboxOptions): Promise<Sandbox> {
  const { state = ':memory:', clock = systemClock, onFault = throwLater, ...rest } = options;
  parseConnectTo(rest.connectTo ?? []); // what was mistyped is said before anything is opened
  // Loaded when it is asked for: no other command pays for its agents.
  const { serveSandbox } = await import('./sandbox.ts');
  const states = openAgentStates(state, BUSY);
  const replays = openReplayStore(state, BUSY);
  const closeStores = async () => {
    states.close();
    await replays.close();
  };
  try {
    const sandbox = await serveSandbox(rest, {
      states,
      replays,
      clock,
      onFault,
      openFetcher: (connectTo) => composeFetcher(readConfig({}), { connectTo }, clock),
      openKeys: (fetcher) => composeKeyDirectory(fetcher, clock),
    });
    return { ...sandbox, close: () => sandbox.close().finally(closeStores) };
  } catch (error) {
    await closeStores();
    throw error;
  }
}

function throwLater(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}
