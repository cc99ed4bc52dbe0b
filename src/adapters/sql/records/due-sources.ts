import type { VisitKind } from '../../../domain/source.ts';
import { DECLARATION_GRACE_MS } from '../../../domain/stitch.ts';
import type { SqliteDatabase } from '../database.ts';
import { type Place, prepare, sql } from '../prepared.ts';

const DAY_MS = 86_400_000;
/** By then an agent that has left the list, and that nobody has declared again, is pruned. */
const PARKED_MS = 30 * DAY_MS;

interface DueSource {
  readonly key: string;
  readonly registrable_domain: string;
  readonly depth: 0;
}

/** Sources whose next visit has come, longest overdue first; a domain stands once for each of its files. */
export interface DueSources {
  /** Agents out of the list are left out, and noted in `gone`. */
  of(kind: VisitKind, now: number, gone: string[]): Iterable<DueSource>;
  /** Puts the visits of agents that are out of the list off, so that nobody comes across them again every time. */
  park(agents: readonly string[], now: number): void;
  /** Makes an agent due that had left the list and is declared again; any other keeps its next visit. */
  unpark(agent: string, now: number): void;
}

export function createDueSources(database: SqliteDatabase): DueSources {
  const selectDomains = prepare(database, dueDomains);
  const selectAgents = prepare(database, dueAgents);
  const putOff = prepare(database, parkedAgent);
  const bringBack = prepare(database, unparkedAgent);
  return {
    *of(kind, now, gone) {
      if (kind === 'domain') for (const row of selectDomains.each({ now })) yield { ...row, depth: 0 };
      else
        for (const { key, registrable_domain, listed } of selectAgents.each({
          now,
          graceFrom: now - DECLARATION_GRACE_MS,
        })) {
          if (listed === 1) yield { key, registrable_domain, depth: 0 };
          else gone.push(key);
        }
    },
    park(agents, now) {
      if (agents.length === 0) return;
      database.transaction(() => {
        for (const agent of agents) putOff.run({ agent, now, until: now + PARKED_MS });
      });
    },
    unpark: (agent, now) => void bringBack.run({ agent, now, latest: now + DAY_MS }),
  };
}

function due(kind: VisitKind, place: Place<{ now: number }>) {
  return sql
    .selectFrom('source')
    .select(['source.key', 'source.registrable_domain'])
    .where('source.visit', '=', kind)
    .where('source.next_visit_at', '<=', place('now'))
    .where('source.lease_until', '<=', place('now'))
    .orderBy('source.next_visit_at');
}

function dueDomains(place: Place<{ now: number }>) {
  return due('domain', place);
}

/** With whether the list has them: declared, registered, or within the grace after the last declaration. */
function dueAgents(place: Place<{ now: number; graceFrom: number }>) {
  return due('agent', place)
    .leftJoin('agent', 'agent.agent', 'source.key')
    .leftJoin('registration', 'registration.agent', 'source.key')
    .select((row) =>
      row
        .case()
        .when('registration.agent', 'is not', null)
        .then(1)
        .when(row('agent.authorisation_count', '+', row.ref('agent.mention_count')), '>', 0)
        .then(1)
        .when(row.fn.coalesce('agent.declaration_ended_at', 'agent.first_seen_at'), '<=', place('graceFrom'))
        .then(0)
        .else(1)
        .end()
        .as('listed'),
    );
}

function parkedAgent(place: Place<{ agent: string; now: number; until: number }>) {
  return sql
    .updateTable('source')
    .set({ next_visit_at: place('until') })
    .where('kind', '=', 'agent')
    .where('key', '=', place('agent'))
    .where('next_visit_at', '<=', place('now'));
}

/** No schedule puts a visit off for more than a day: what is later was parked. */
function unparkedAgent(place: Place<{ agent: string; now: number; latest: number }>) {
  return sql
    .updateTable('source')
    .set({ next_visit_at: place('now') })
    .where('kind', '=', 'agent')
    .where('key', '=', place('agent'))
    .where('next_visit_at', '>', place('latest'));
}
