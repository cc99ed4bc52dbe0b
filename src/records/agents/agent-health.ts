import { type DayHealth, HEALTH_HOLDS_MS, healthHistory } from '../../domain/health-history.ts';
import type { AgentStore } from '../../ports/agent-store.ts';
import { type Db, tableOf } from '../database.ts';
import { dayOf, eachDay, healthCode, type PackedDay, readProbeLog, unpacked } from '../probes/probe-log.ts';
import { call, type SqlStore } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

/** Reads of how agents answered our planned probes. */
export function createAgentHealth(store: SqlStore): Pick<AgentStore, 'health' | 'healthDays'> {
  const selectToday = prepare(store, latestDays);
  return {
    async health(agent, period) {
      const { from, now } = period;
      const wanted = { from: from - HEALTH_HOLDS_MS, until: now };
      const log = await store.read((db) => readProbeLog(db, agent, wanted));
      const planned = log.probes.filter(({ asked }) => !asked);
      return { ...healthHistory(planned, period), isCut: log.isCut };
    },
    async healthDays(agents, { from, now }) {
      const days = { agents, first: dayOf(from), last: dayOf(now) };
      const [past, latest] = await store.read(function* () {
        return [yield* call((db) => daysOfAgents(db, days)), yield* selectToday.all(days)] as const;
      });
      const packed = Map.groupBy(latest, ({ agent }) => agent);
      const known = new Map<string, DayHealth[]>();
      for (const { agent, day, health } of past) {
        const seen = known.get(agent) ?? [];
        const parts = packed.get(agent)?.filter((part) => part.day === day) ?? [];
        const code =
          parts.length === 0 ? health : ofBoth(day < days.last ? health : null, codeUntil(parts, now));
        seen.push(code === null ? 'unknown' : (DAYS[code] ?? 'unknown'));
        known.set(agent, seen);
      }
      return known;
    },
  };
}

/** By the code of a day. */
const DAYS: readonly DayHealth[] = ['never', 'sometimes', 'always'];

function codeUntil(days: readonly PackedDay[], now: number): number | null {
  return healthCode(unpacked(days).filter(({ at }) => at <= now));
}

/** A day that is kept in two parts, as a clock was put back. */
function ofBoth(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return one === other ? one : 1;
}

interface Days {
  readonly agents: readonly string[];
  readonly first: number;
  readonly last: number;
}

/** For each agent and each day one look by the key. */
function daysOfAgents(db: Db, { agents, first, last }: Days) {
  return eachDay(db, first, last)
    .selectFrom([tableOf(db, agents), 'day'])
    .select(['listed.value as agent', 'day.number as day'])
    .select(({ selectFrom }) =>
      selectFrom('probe_day')
        .select('health')
        .whereRef('probe_day.day', '=', 'day.number')
        .whereRef('probe_day.agent', '=', 'listed.value')
        .as('health'),
    )
    .orderBy('listed.value')
    .orderBy('day.number')
    .execute();
}

/** Days that are not over: the latest of each agent, and what was kept of today when a clock was put back. */
function latestDays(param: Param<Days>) {
  return sql
    .selectFrom('probe_today')
    .select(['agent', 'day', 'probes'])
    .where('agent', 'in', param.list('agents'))
    .where('day', '>=', param('first'))
    .where('day', '<=', param('last'))
    .unionAll(
      sql
        .selectFrom('probe_day')
        .select(['agent', 'day', 'probes'])
        .where('day', '=', param('last'))
        .where('agent', 'in', param.list('agents')),
    );
}
