import { type SqlStore, type SqlTask, together } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

const DAY_MS = 86_400_000;
/** By then an agent that has left the list, and that nobody has declared again, is pruned. */
export const PARKED_MS = 30 * DAY_MS;

/** Visits of agents that are out of the list. */
interface ParkedAgents {
  /** Puts them off, so that nobody comes across them again every time. */
  park(agents: readonly string[], now: number): SqlTask<void>;
  /** Makes an agent due that had left the list and is declared again; any other keeps its next visit. */
  unpark(agent: string, now: number): SqlTask<void>;
}

/** Inside the caller's transaction. */
export function createParkedAgents(store: SqlStore): ParkedAgents {
  const putOff = prepare(store, parkedAgent);
  const bringBack = prepare(store, unparkedAgent);
  return {
    *park(agents, now) {
      yield* together(agents.toSorted().map((agent) => putOff.run({ agent, now, until: now + PARKED_MS })));
    },
    *unpark(agent, now) {
      yield* bringBack.run({ agent, now, latest: now + DAY_MS });
    },
  };
}

function parkedAgent(param: Param<{ agent: string; now: number; until: number }>) {
  return sql
    .updateTable('source')
    .set({ next_visit_at: param('until') })
    .where('kind', '=', 'agent')
    .where('key', '=', param('agent'))
    .where('next_visit_at', '<=', param('now'));
}

/** No schedule puts a visit off for more than a day: what is later was parked. */
function unparkedAgent(param: Param<{ agent: string; now: number; latest: number }>) {
  return sql
    .updateTable('source')
    .set({ next_visit_at: param('now') })
    .where('kind', '=', 'agent')
    .where('key', '=', param('agent'))
    .where('next_visit_at', '>', param('latest'));
}
