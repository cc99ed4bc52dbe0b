import { present } from '../../base/json.ts';
import type { JudgedRun } from '../../domain/judged-run.ts';
import type { Observation } from '../../domain/observation.ts';
import type { AgentContact, AgentStore } from '../../ports/agent-store.ts';
import { type KeptProbe, readProbeLog } from '../probes/probe-log.ts';
import { call, type SqlStore } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

/** What we did with an agent, from both sides: its probes, and the runs that were made here. */
export function createContactLog(store: SqlStore): Pick<AgentStore, 'contacts'> {
  const selectChanges = prepare(store, changes);
  const selectRuns = prepare(store, runs);
  const countRuns = prepare(store, runsInAll);
  return {
    contacts: (agent, { since, now, limit }) =>
      store.read(function* () {
        const { probes } = yield* call((db) => readProbeLog(db, agent, { from: since, until: now }));
        // of as many probes as many changes at most, and one that they all began with
        const known = yield* selectChanges.all({ agent, until: now, limit: limit + 1 });
        const probed = probes.slice(-limit).map((probe) => contactOf(probe, known));
        const tested = (yield* selectRuns.all({ agent, since, limit })).map((row): AgentContact => {
          const { outcome, inconclusive, unreachable } = JSON.parse(row.judged) as JudgedRun;
          const why = inconclusive?.detail ?? unreachable?.message;
          const { id, started_at: at, finished_at } = row;
          return { kind: 'run', id, at, durationMs: finished_at - at, outcome, ...present({ error: why }) };
        });
        const contacts = [...probed, ...tested].toSorted((a, b) => b.at - a.at);
        const total = probes.length + ((yield* countRuns.first({ agent, since }))?.n ?? 0);
        return { contacts: contacts.slice(0, limit), total };
      }),
  };
}

/** A probe with the words and the steps of the one that first found the same; the steps are only that one's. */
function contactOf(
  { at, online, responseTimeMs, errorClass }: KeptProbe,
  changes: readonly { readonly at: number; readonly value: string }[],
): AgentContact {
  const change = changes.find((one) => one.at <= at);
  const first = change && (JSON.parse(change.value) as Pick<Observation, 'health' | 'steps'>);
  const known = first?.health.errorClass === errorClass ? first?.health : undefined;
  const error =
    known?.error === undefined ? undefined : [known.error, known.words].filter(Boolean).join(': ');
  return {
    ...{ kind: 'probe', id: String(at), at, online },
    ...present({ responseTimeMs: responseTimeMs ?? null, error: error ?? null }),
    ...(change?.at === at && first && { steps: first.steps }),
  };
}

type Since = Param<{ agent: string; since: number }>;
type Some = Param<{ agent: string; since: number; limit: number }>;

function changes(param: Param<{ agent: string; until: number; limit: number }>) {
  return sql
    .selectFrom('probe_change')
    .select(['at', 'value'])
    .where('agent', '=', param('agent'))
    .where('at', '<=', param('until'))
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

function runsInAll(param: Since) {
  return sql
    .selectFrom('compliance_run')
    .select((row) => row.fn.countAll<number>().as('n'))
    .where('agent', '=', param('agent'))
    .where('started_at', '>=', param('since'))
    .where('imported', '=', 0);
}
