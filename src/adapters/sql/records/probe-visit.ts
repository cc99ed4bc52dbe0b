import { createHash } from 'node:crypto';
import type { Protocol } from '../../../domain/agent-type.ts';
import type { Observation } from '../../../domain/observation.ts';
import type { ProbeVisit } from '../../../ports/visit-commits.ts';
import type { SqliteDatabase } from '../database.ts';
import { type Place, prepare, sql } from '../prepared.ts';
import type { BatchEffects } from './batch-effects.ts';
import { createKnownSources } from './known-sources.ts';
import { jsonOrNull } from './present.ts';
import { createVisitedSources, type HeldSource, isSuccess } from './visited-source.ts';

/** Writes one probe; false, with nothing written, when the lease was lost. */
export type ProbeVisitWriter = (visit: ProbeVisit, effects: BatchEffects) => boolean;

interface SeenAgent {
  readonly agent: string;
  readonly at: number;
  readonly lastSeenAt: number | null;
  readonly health: string;
  readonly protocol: Protocol | null;
  readonly endpoint: string | null;
  readonly goodAt: number | null;
  readonly goodProtocol: Protocol | null;
  readonly goodEndpoint: string | null;
  readonly goodExposed: string | null;
  /** 1 when the document may differ, so the agent becomes dirty. */
  readonly changed: number;
}

/** Inside the caller's transaction. */
export function createProbeVisitWriter(database: SqliteDatabase): ProbeVisitWriter {
  const sources = createVisitedSources(database);
  const known = createKnownSources(database);
  const selectAgent = prepare(database, lastSeen);
  const updateAgent = prepare(database, seenAgent);
  const insertExposed = prepare(database, newExposed);
  const insertObservation = prepare(database, newObservation);

  const writeObservation = (observation: Observation): void => {
    const { agent, at, health, exposed, ...rest } = observation;
    const exposedText = exposed === undefined ? null : JSON.stringify(exposed);
    const hash = exposedText === null ? null : createHash('sha256').update(exposedText).digest('hex');
    if (hash !== null && exposedText !== null) insertExposed.run({ hash, value: exposedText });
    insertObservation.run({ agent, at, value: JSON.stringify({ ...rest, health }), exposed: hash });
    known.addAgent(agent, at);
    const before = selectAgent.get({ agent });
    if (before === undefined) return;
    const good = hash === null ? before : goodFrom(observation, hash);
    const protocol = observation.protocol ?? before.protocol;
    const endpoint = observation.endpoint ?? before.endpoint;
    const changed = differs(before, { ...good, protocol, endpoint }) ? 1 : 0;
    const lastSeenAt = health.online ? at : before.last_seen_at;
    updateAgent.run({
      agent,
      at,
      lastSeenAt,
      health: JSON.stringify(health),
      protocol,
      endpoint,
      ...goodFields(good),
      changed,
    });
  };
  return (visit) => {
    const held = sources.held(visit.lease);
    if (held === undefined) return false;
    if (visit.observation !== undefined) writeObservation(visit.observation);
    sources.write(afterProbe(visit, held));
    return true;
  };
}

function afterProbe(visit: ProbeVisit, held: HeldSource) {
  return {
    ...held,
    next_visit_at: visit.nextVisitAt,
    last_visit_at: visit.at,
    last_success_at: isSuccess(visit.outcome) ? visit.at : held.last_success_at,
    last_outcome: visit.outcome,
    last_error: jsonOrNull(visit.error),
    failures: visit.failures,
    validators: '[]',
    absent_since: null,
    absent_visits: 0,
  };
}

interface Good {
  readonly good_at: number | null;
  readonly good_protocol: Protocol | null;
  readonly good_endpoint: string | null;
  readonly good_exposed: string | null;
}

function goodFrom(observation: Observation, hash: string): Good {
  return {
    good_at: observation.at,
    good_protocol: observation.protocol ?? null,
    good_endpoint: observation.endpoint ?? null,
    good_exposed: hash,
  };
}

function goodFields(good: Good) {
  return {
    goodAt: good.good_at,
    goodProtocol: good.good_protocol,
    goodEndpoint: good.good_endpoint,
    goodExposed: good.good_exposed,
  };
}

/** Times alone change nothing that a document shows. */
function differs<T extends Good & { readonly protocol: Protocol | null; readonly endpoint: string | null }>(
  a: T,
  b: Omit<T, 'last_seen_at'>,
): boolean {
  const shown = ['protocol', 'endpoint', 'good_protocol', 'good_endpoint', 'good_exposed'] as const;
  return shown.some((name) => a[name] !== b[name]);
}

function lastSeen(place: Place<{ agent: string }>) {
  return sql
    .selectFrom('agent')
    .select([
      'last_seen_at',
      'protocol',
      'endpoint',
      'good_at',
      'good_protocol',
      'good_endpoint',
      'good_exposed',
    ])
    .where('agent', '=', place('agent'));
}

function seenAgent(place: Place<SeenAgent>) {
  return sql
    .updateTable('agent')
    .set((row) => ({
      last_checked_at: place('at'),
      last_seen_at: place('lastSeenAt'),
      health: place('health'),
      protocol: place('protocol'),
      endpoint: place('endpoint'),
      good_at: place('goodAt'),
      good_protocol: place('goodProtocol'),
      good_endpoint: place('goodEndpoint'),
      good_exposed: place('goodExposed'),
      revision: row('revision', '+', place('changed')),
      dirty_since: row
        .case()
        .when(row.val(place('changed')), '=', 1)
        .then(row.fn.coalesce('dirty_since', row.val(place('at'))))
        .else(row.ref('dirty_since'))
        .end(),
    }))
    .where('agent', '=', place('agent'));
}

function newExposed(place: Place<{ hash: string; value: string }>) {
  return sql
    .insertInto('exposed')
    .values({ hash: place('hash'), value: place('value') })
    .onConflict((known) => known.column('hash').doNothing());
}

function newObservation(place: Place<{ agent: string; at: number; value: string; exposed: string | null }>) {
  return sql
    .insertInto('observation')
    .values({ agent: place('agent'), at: place('at'), value: place('value'), exposed: place('exposed') });
}
