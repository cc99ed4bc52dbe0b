import { sql as rawSql, type Selectable } from 'kysely';
import { present } from '../../../../base/json.ts';
import {
  type DayHealth,
  HEALTH_HOLDS_MS,
  type HealthSeen,
  healthHistory,
} from '../../../../domain/health-history.ts';
import type { ErrorClass, Observation } from '../../../../domain/observation.ts';
import type { AgentStore } from '../../../../ports/agent-store.ts';
import type { Tables } from '../../schema.ts';
import type { SqlStore } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';

const DAY = 86_400_000;

/** Reads of how agents answered our planned probes. */
export function createAgentHealth(store: SqlStore): Pick<AgentStore, 'health' | 'healthDays'> {
  const selectHealth = prepare(store, plannedProbes);
  const selectDays = prepare(store, daysOfAgents);
  return {
    async health(agent, period) {
      const { from, now } = period;
      const given = { agent, since: from - HEALTH_HOLDS_MS, until: now };
      const rows = await store.read(() => selectHealth.all(given));
      const probes = rows.slice(0, MAX_PROBES).map(healthSeen).reverse();
      return { ...healthHistory(probes, period), isCut: rows.length > MAX_PROBES };
    },
    async healthDays(agents, { from, now }) {
      const rows = await store.read(() => selectDays.all({ agents, from, until: now }));
      const known = new Map<string, DayHealth[]>();
      for (const { agent, seen } of rows) {
        const days = known.get(agent) ?? [];
        days.push(seen === null ? 'unknown' : (DAYS[seen] ?? 'unknown'));
        known.set(agent, days);
      }
      return known;
    },
  };
}

/** By the least and the most of a day's probes, added: 0 for one that did not answer, 1 for one that did. */
const DAYS: readonly DayHealth[] = ['never', 'sometimes', 'always'];
/** Of one day, the latest: a probe an hour, and as many again for changes of the clock and of the schedule. */
const MAX_OF_DAY = 48;

/** For each agent and each day one look into the index, of at most MAX_OF_DAY entries. Rows of before the columns are unknown. */
function daysOfAgents(param: Param<{ agents: readonly string[]; from: number; until: number }>) {
  const beginning = rawSql<number>`cast(${param('from')} as bigint)`;
  const end = rawSql<number>`cast(${param('until')} as bigint)`;
  return sql
    .withRecursive('day(at)', (db) =>
      db.selectNoFrom(beginning.as('at')).unionAll(
        db
          .selectFrom('day')
          .select((row) => row('day.at', '+', DAY).as('at'))
          .where((row) => row(row('day.at', '+', DAY), '<=', end)),
      ),
    )
    .selectFrom([param.listed('agents'), 'day'])
    .select('listed.value as agent')
    .select(({ selectFrom }) =>
      selectFrom(
        selectFrom('observation')
          .select('online')
          .whereRef('agent', '=', 'listed.value')
          .whereRef('at', '>=', 'day.at')
          .where((row) => row('at', '<', row('day.at', '+', DAY)))
          .where('at', '<=', end)
          .where('asked', '=', 0)
          .where('online', 'is not', null)
          .orderBy('at', 'desc')
          .limit(MAX_OF_DAY)
          .as('seen'),
      )
        .select((row) => row(row.fn.min('seen.online'), '+', row.fn.max('seen.online')).as('sum'))
        .as('seen'),
    )
    .orderBy('listed.value')
    .orderBy('day.at');
}

/** A probe an hour makes 2,160 in the 90 days for which they are kept; whoever probes by hand more often is cut. */
const MAX_PROBES = 2_500;

interface HealthRow extends Pick<Selectable<Tables['observation']>, 'at' | 'online' | 'response_ms'> {
  readonly error_class: string | null;
  readonly value: string | null;
}

function healthSeen({ at, online, response_ms, error_class, value }: HealthRow): HealthSeen {
  const earlier = value === null ? undefined : (JSON.parse(value) as Pick<Observation, 'health'>).health;
  const seen = earlier ?? {
    online: online === 1,
    ...present({ responseTimeMs: response_ms, errorClass: error_class as ErrorClass | null }),
  };
  return { ...seen, at };
}

/** The value, which may be long, is read only of rows of an earlier version. */
function plannedProbes(param: Param<{ agent: string; since: number; until: number }>) {
  return sql
    .selectFrom('observation')
    .select(['at', 'online', 'response_ms', 'error_class'])
    .select((row) => row.case().when('online', 'is', null).then(row.ref('value')).end().as('value'))
    .where('agent', '=', param('agent'))
    .where('at', '>=', param('since'))
    .where('at', '<=', param('until'))
    .where('asked', '=', 0)
    .orderBy('at', 'desc')
    .limit(MAX_PROBES + 1);
}
