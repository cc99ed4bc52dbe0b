import { type Clock, RegistryError } from 'agent-registry/agent-kit';
import { advance } from './reference/advance.ts';
import type { ReferenceParts } from './reference/create-reference.ts';

export interface UpkeepOptions {
  readonly clock: Clock;
  /** Hears of a fault once, and again when it comes back after things went well. */
  onFault(error: unknown): void;
}

export interface Upkeep {
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

/** How often the agents look at the time, milliseconds. */
const EVERY_MS = 250;
/** How long they leave a store alone that another process has locked: each try holds everything up. */
const LOCKED_PAUSE_MS = 5_000;

/** What agents do without being called: change what time changes, forget what is old, send webhooks. */
export function startUpkeep(agents: readonly ReferenceParts[], { clock, onFault }: UpkeepOptions): Upkeep {
  const stopped = new AbortController();
  const advanceAll = createAdvanceAll(agents, clock, onFault);
  let timer = setTimeout(tick, EVERY_MS);
  function tick(): void {
    timer = setTimeout(tick, advanceAll() ? EVERY_MS : LOCKED_PAUSE_MS);
  }
  const deliveries = agents.map(({ deliverer }) => deliverer.run(stopped.signal, onFault));
  return {
    async stop() {
      clearTimeout(timer);
      stopped.abort();
      await Promise.all(deliveries);
    },
  };
}

/**
 * A look at the time by all agents. One agent's fault does not stop the others, but for a store that is locked: all
 * would wait for it in turn. False when it was.
 */
function createAdvanceAll(
  agents: readonly ReferenceParts[],
  clock: Clock,
  onFault: (error: unknown) => void,
): () => boolean {
  const faulty = new Set<ReferenceParts | 'store'>();
  const failed = (what: ReferenceParts | 'store', error: unknown) => {
    if (!faulty.has(what)) onFault(error);
    faulty.add(what);
  };
  return () => {
    for (const parts of agents) {
      try {
        advance(parts.agent, clock.now());
        faulty.delete(parts);
      } catch (error) {
        if (!isLocked(error)) failed(parts, error);
        else {
          failed('store', error);
          return false;
        }
      }
    }
    faulty.delete('store');
    return true;
  };
}

function isLocked(error: unknown): boolean {
  return error instanceof RegistryError && error.code === 'store_locked';
}
