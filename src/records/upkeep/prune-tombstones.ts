import { lockAlone } from '../locks.ts';
import { dayOf, eachDay } from '../probes/probe-log.ts';
import { call, type SqlStore, type SqlTask, UNHURRIED } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

/** Tables whose rows are about one agent and go with it. What publishers once declared is history and stays. */
const OF_AN_AGENT = [
  'document',
  'probe_today',
  'probe_change',
  'agent_property_count',
  'agent_tag',
  'compliance_run',
  'compliance_evidence',
  'compliance_standing',
  'bundle_standing',
  'run_schedule',
  'test_credential',
  'owner_statement',
  'badge',
  'badge_event',
] as const;

/** Probes are kept for 90 days, so there are none further from the end of an agent. */
const AROUND_DAYS = 100;
/** Agents deleted in one transaction: visits that are to be kept wait for it. */
const CHUNK = 500;

interface Ended {
  readonly endedBefore: number;
}
interface Keys {
  readonly agents: readonly string[];
}

/**
 * Deletes agents that are neither declared nor registered, and out of the list, since `endedBefore`; returns their
 * number. An agent that somebody names again meanwhile stays, with all that is about it.
 */
export async function pruneTombstones(store: SqlStore, endedBefore: number): Promise<number> {
  const select = prepare(store, (param: Param<Ended & { after: string }>) =>
    tombstones(param).where('agent.agent', '>', param('after')).limit(CHUNK),
  );
  const deleteThose = createDeletion(store);
  let deleted = 0;
  for (let after = ''; ; ) {
    const found = await store.read(() => select.all({ endedBefore, after }), UNHURRIED);
    const agents = found.map((row) => row.agent);
    if (agents.length > 0) deleted += await store.transaction(() => deleteThose(agents, endedBefore));
    if (agents.length < CHUNK) return deleted;
    after = agents.at(-1) as string;
  }
}

/**
 * Looks again at these agents when nobody who could name them is at it, and deletes those that still are tombstones:
 * by their keys, as each statement sees what was committed before it.
 */
function createDeletion(store: SqlStore) {
  const selectStill = prepare(store, (param: Param<Ended & Keys>) =>
    tombstones(param).where('agent.agent', 'in', param.list('agents')).forUpdate('agent'),
  );
  const deletions = OF_AN_AGENT.map((table) =>
    prepare(store, (param: Param<Keys>) => sql.deleteFrom(table).where('agent', 'in', param.list('agents'))),
  );
  // an opt-out stays: the change log still tells of the agent
  const deleteSettings = prepare(store, (param: Param<Keys>) =>
    sql.deleteFrom('agent_settings').where('agent', 'in', param.list('agents')).where('opted_out', '=', 0),
  );
  const deleteDays = prepare(store, pastProbes);
  const deleteSources = prepare(store, (param: Param<Keys>) =>
    sql.deleteFrom('source').where('kind', '=', 'agent').where('key', 'in', param.list('agents')),
  );
  const deleteAgents = prepare(store, (param: Param<Keys>) =>
    sql.deleteFrom('agent').where('agent', 'in', param.list('agents')),
  );
  return function* (candidates: readonly string[], endedBefore: number): SqlTask<number> {
    yield* call((db) => lockAlone(db, 'contents'));
    const rows = yield* selectStill.all({ agents: candidates, endedBefore });
    const agents = rows.map((row) => row.agent);
    if (agents.length === 0) return 0;
    for (const each of [...deletions, deleteSettings]) yield* each.run({ agents });
    const end = dayOf(endedBefore);
    yield* deleteDays.run({ agents, first: end - AROUND_DAYS, last: end + AROUND_DAYS });
    yield* deleteSources.run({ agents });
    return yield* deleteAgents.run({ agents });
  };
}

function tombstones(param: Param<Ended>) {
  return sql
    .selectFrom('agent')
    .select('agent.agent')
    .where((row) =>
      row.or([
        row('declaration_ended_at', '<', param('endedBefore')),
        row.and([
          row('declaration_ended_at', 'is', null),
          row('first_seen_at', '<', param('endedBefore')),
          row('authorisation_count', '=', 0),
          row('mention_count', '=', 0),
        ]),
      ]),
    )
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('registration')
            .select('registration.agent')
            .whereRef('registration.agent', '=', 'agent.agent'),
        ),
      ),
    )
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('document')
            .select('document.agent')
            .whereRef('document.agent', '=', 'agent.agent')
            .where('document.hash', 'is not', null),
        ),
      ),
    )
    .orderBy('agent.agent');
}

/** By their keys, which begin with the day. */
function pastProbes(param: Param<Keys & { first: number; last: number }>) {
  return eachDay(param)
    .deleteFrom('probe_day')
    .where((row) =>
      row(
        row.refTuple('probe_day.day', 'probe_day.agent'),
        'in',
        row
          .selectFrom(['day', param.listed('agents')])
          .select(['day.number', 'listed.value'])
          .$asTuple('number', 'value'),
      ),
    );
}
