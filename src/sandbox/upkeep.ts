import type { Clock } from '../ports/clock.ts';
import { advance } from './reference/advance.ts';
import type { ReferenceParts } from './reference/create-reference.ts';

export interface UpkeepOptions {
  readonly clock: Clock;
  onFault(error: unknown): void;
}

export interface Upkeep {
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

/** How often the agents look at the time, milliseconds. */
const EVERY_MS = 250;

/** What agents do without being called: change what time changes, forget what is old, send webhooks. */
export function startUpkeep(agents: readonly ReferenceParts[], { clock, onFault }: UpkeepOptions): Upkeep {
  const stopped = new AbortController();
  const tick = () => {
    for (const { agent } of agents) guarded(() => advance(agent, clock.now()), onFault);
  };
  const timer = setInterval(tick, EVERY_MS);
  const deliveries = agents.map(({ deliverer }) => deliverer.run(stopped.signal).catch(onFault));
  return {
    async stop() {
      clearInterval(timer);
      stopped.abort();
      await Promise.all(deliveries);
    },
  };
}

/** One agent's fault must not stop the others. */
function guarded(work: () => void, onFault: (error: unknown) => void): void {
  try {
    work();
  } catch (error) {
    onFault(error);
  }
}
