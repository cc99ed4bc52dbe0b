import { present } from '../../../../base/json.ts';
import type { JudgedRun } from '../../../../domain/judged-run.ts';
import type { Observation } from '../../../../domain/observation.ts';
import type { AgentContact, AgentStore } from '../../../../ports/agent-store.ts';
import type { SqlStore } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';

/** What we did with an agent, from both sides: its probes, and the runs that were made here. */
export function createContactLog(store: SqlStore): Pick<AgentStore, 'contacts'> {
  const selectProbes = prepare(store, probes);
  const selectRuns = prepare(store, runs);
  const countProbes = prepare(store, probesInAll);
  const countRuns = prepare(store, runsInAll);
  return {
    contacts: (agent, { since, limit }) =>
      store.read(function* () {
        const probed = (yield* selectProbes.all({ agent, since, limit })).map(
          ({ id, at, value }): AgentContact => {
            const { health, durationMs, steps } = JSON.parse(value) as Omit<Observation, 'agent' | 'at'>;
            return { kind: 'probe', id: String(id), at, durationMs, health, steps };
          },
        );
        const tested = (yield* selectRuns.all({ agent, since, limit })).map((row): AgentContact => {
          const { outcome, inconclusive, unreachable } = JSON.parse(row.judged) as JudgedRun;
          const why = inconclusive?.detail ?? unreachable?.message;
          const { id, started_at: at, finished_at } = row;
          return { kind: 'run', id, at, durationMs: finished_at - at, outcome, ...present({ error: why }) };
        });
        const contacts = [...probed, ...tested].toSorted((a, b) => b.at - a.at);
        const counts = [yield* countProbes.first({ agent, since }), yield* countRuns.first({ agent, since })];
        const total = counts.reduce((sum, row) => sum + (row?.n ?? 0), 0);
        return { contacts: contacts.slice(0, limit), total };
      }),
  };
}

type Since = Param<{ agent: string; since: number }>;
type Some = Param<{ agent: string; since: number; limit: number }>;

function probes(param: Some) {
  return sql
    .selectFrom('observation')
    .select(['id', 'at', 'value'])
    .where('agent', '=', param('agent'))
    .where('at', '>=', param('since'))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(param('limit'));
}

function runs(param: Some) {
  return sql
    .selectFrom('compliance_run')
    .select(['id', 'started_at', 'finished_at', 'judged'])
    .where('agent', '=', param('agent'))
    .where('started_at', '>=', param('since'))
    .where('imported', '=', 0)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(param('limit'));
}

function probesInAll(param: Since) {
  return sql
    .selectFrom('observation')
    .select((row) => row.fn.countAll<number>().as('n'))
    .where('agent', '=', param('agent'))
    .where('at', '>=', param('since'));
}

function runsInAll(param: Since) {
  return sql
    .selectFrom('compliance_run')
    .select((row) => row.fn.countAll<number>().as('n'))
    .where('agent', '=', param('agent'))
    .where('started_at', '>=', param('since'))
    .where('imported', '=', 0);
}
