import { type Clock, RegistryError } from '@agent-registry/surface/agent-kit';
import { atThisTime, type StoredAccount } from './reference/accounts/stored-account.ts';
import { tellStatus } from './reference/accounts/tell-status.ts';
import { agentTimeAt, keepTime } from './reference/agent-time.ts';
import type { ReferenceParts } from './reference/create-reference.ts';
import { advanceCreatives } from './reference/creatives/library.ts';
import { eachDue } from './reference/each-due.ts';
import type { ReferenceAgent } from './reference/handler.ts';
import { forgetKeys } from './reference/idempotency.ts';
import { advanceMediaBuys } from './reference/media-buys/advance.ts';
import { advanceRights } from './reference/rights/licences.ts';
import { advanceActivations } from './reference/signals/activations.ts';

/** Makes what is due at `now` (epoch milliseconds), at most `limit` of a kind; says how many there were. */
type Advance = (agent: ReferenceAgent, now: number, limit: number) => number;

/** What time changes, whatever the type of the agent: one without such documents has none that are due. */
const ADVANCES: readonly Advance[] = [
  advanceAccounts,
  advanceCreatives,
  advanceMediaBuys,
  advanceActivations,
  advanceRights,
  (agent, now, limit) => forgetKeys({ agent, now }, limit),
];

/** So many of a kind in one go: what is more waits for the next, and nobody who calls waits for long. */
const AT_ONCE = 50;

interface UpkeepOptions {
  readonly clock: Clock;
  /** Hears of a fault once, and again when it comes back after things went well. */
  onFault(error: unknown): void;
}

interface Upkeep {
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

/** Makes the changes that time has brought to an agent. `clockNow` is what the clock says, epoch milliseconds. */
export function advance(agent: ReferenceAgent, clockNow: number): void {
  const now = agentTimeAt(agent.state, clockNow);
  keepTime(agent.state, now);
  for (const one of ADVANCES) one(agent, now, AT_ONCE);
}

/**
 * Ends the reviews whose time is over at `now` (epoch milliseconds), at most `limit` of them, and tells those who
 * asked to be told. Nobody has to call it for the accounts to be right: whoever looks at one sees it as it stands.
 * Gives how many there were.
 */
export function advanceAccounts(agent: ReferenceAgent, now: number, limit = 100): number {
  return eachDue<StoredAccount>(agent.state, 'accounts', { now, limit }, (due) => {
    const { owner, key, document, dueAt } = due;
    const account = atThisTime(document, now);
    agent.state.collection<StoredAccount>('accounts', owner).put(key, account);
    tellStatus(agent, document, account, dueAt);
  });
}
