import { openReplayStore } from '../adapters/sql/replay-store.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../ports/clock.ts';
import type { ReplayStore } from '../ports/replay-store.ts';
import type { AgentSignatures } from '../signing/agent-keys.ts';
import { composeFetcher, type Network } from './fetcher.ts';
import { composeKeyDirectory } from './key-directory.ts';

/** What requests of agents are verified with, and what ends it. */
export interface OpenedSignatures {
  readonly signatures: AgentSignatures;
  close(): Promise<void>;
}

/**
 * Finds keys over the guarded way out. Nonces are kept in a file beside a SQLite store, which is made with the first signed
 * request, and in memory where the store is no file: there a restart, or another machine, would take a request once more
 * within its five minutes, and give the run that is open or refuse it by the cooldown.
 */
export function composeAgentSignatures(config: Config, network: Network, clock: Clock): OpenedSignatures {
  const fetcher = composeFetcher(config, network, clock);
  const replays = openedWhenUsed(() => openReplayStore(noncesPath(config.store)));
  return {
    signatures: { directory: composeKeyDirectory(fetcher, clock), replays },
    async close() {
      await replays.close();
      await fetcher.close();
    },
  };
}

function noncesPath(store: string): string {
  const path = /^sqlite:(.+)$/.exec(store)?.[1];
  return path === undefined || path === ':memory:' ? ':memory:' : `${path}-nonces`;
}

function openedWhenUsed(open: () => ReplayStore): ReplayStore {
  let opened: ReplayStore | undefined;
  return {
    async remember(nonce, now) {
      opened ??= open();
      return opened.remember(nonce, now);
    },
    async close() {
      await opened?.close();
    },
  };
}
