import { createHash } from 'node:crypto';
import type { Protocol } from '../../../../domain/agent-type.ts';
import type { Observation } from '../../../../domain/observation.ts';
import type { ProbeVisit } from '../../../../ports/visit-commits.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { jsonOrNull, type Param, prepare, sql } from '../../statements.ts';
import { createVisitedSources, type HeldSource, isBesidePlan, isSuccess } from '../sources/source-rows.ts';
import type { VisitEffects } from './batch-effects.ts';

/** Writes one probe; false, with nothing written, when the lease was lost. */
type ProbeVisitWriter = (visit: ProbeVisit, effects: VisitEffects) => SqlTask<boolean>;

/** Inside the caller's transaction. */
export function createProbeVisitWriter(store: SqlStore): ProbeVisitWriter {
  const sources = createVisitedSources(store);
  const selectAgent = prepare(store, lastSeen);
  const insertObservation = prepare(store, newObservation);

  function* writeObservation(observation: Observation, effects: VisitEffects, asked: number): SqlTask<void> {
    const { agent, at, health, exposed, ...rest } = observation;
    const exposedText = exposed === undefined ? null : JSON.stringify(exposed);
    const hash = exposedText === null ? null : createHash('sha256').update(exposedText).digest('hex');
    if (hash !== null && exposedText !== null) effects.contents.exposed.set(hash, exposedText);
    yield* insertObservation.run({
      agent,
      at,
      value: JSON.stringify({ ...rest, health }),
      exposed: hash,
      asked,
      online: health.online ? 1 : 0,
      responseMs: health.responseTimeMs ?? null,
      errorClass: health.errorClass ?? null,
    });
    const before = (yield* selectAgent.first({ agent })) ?? NEVER_SEEN;
    const good = hash === null ? before : goodFrom(observation, hash);
    const protocol = observation.protocol ?? before.protocol;
    const endpoint = observation.endpoint ?? before.endpoint;
    effects.observe({
      agent,
      at,
      lastSeenAt: health.online ? at : before.last_seen_at,
      health: JSON.stringify(health),
      protocol,
      endpoint,
      ...goodFields(good),
      changed: differs(before, { ...good, protocol, endpoint }) ? 1 : 0,
    });
  }
  return function* (visit, effects) {
    const held = yield* sources.held(visit.lease);
    if (held === undefined) return false;
    if (visit.observation !== undefined)
      yield* writeObservation(visit.observation, effects, isBesidePlan(held, visit.at) ? 1 : 0);
    yield* sources.write(afterProbe(visit, held));
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
    memory: null,
  };
}

interface Good {
  readonly good_at: number | null;
  readonly good_protocol: Protocol | null;
  readonly good_endpoint: string | null;
  readonly good_exposed: string | null;
}

const NEVER_SEEN = {
  last_seen_at: null,
  protocol: null,
  endpoint: null,
  good_at: null,
  good_protocol: null,
  good_endpoint: null,
  good_exposed: null,
} as const;

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

function lastSeen(param: Param<{ agent: string }>) {
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
    .where('agent', '=', param('agent'));
}

interface NewObservation {
  readonly agent: string;
  readonly at: number;
  readonly value: string;
  readonly exposed: string | null;
  readonly asked: number;
  readonly online: number;
  readonly responseMs: number | null;
  readonly errorClass: string | null;
}

function newObservation(param: Param<NewObservation>) {
  return sql.insertInto('observation').values({
    agent: param('agent'),
    at: param('at'),
    value: param('value'),
    exposed: param('exposed'),
    asked: param('asked'),
    online: param('online'),
    response_ms: param('responseMs'),
    error_class: param('errorClass'),
  });
}
