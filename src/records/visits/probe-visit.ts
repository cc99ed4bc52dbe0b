import { hash as digest } from 'node:crypto';
import type { Protocol } from '../../domain/agent-type.ts';
import type { Observation } from '../../domain/observation.ts';
import { liveText } from '../../index/query/live-text.ts';
import type { ProbeVisit } from '../../ports/visit-commits.ts';
import { createProbeKeeper } from '../probes/keep-probe.ts';
import {
  type HeldSource,
  heldSources,
  isBesidePlan,
  isSuccess,
  writeVisited,
} from '../sources/source-rows.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { jsonOrNull, type Param, prepare, sql } from '../statements.ts';
import type { VisitEffects } from './batch-effects.ts';

/** Writes one probe; false, with nothing written, when the lease was lost. */
type ProbeVisitWriter = (visit: ProbeVisit, effects: VisitEffects) => SqlTask<boolean>;

/** Inside the caller's transaction. */
export function createProbeVisitWriter(store: SqlStore): ProbeVisitWriter {
  const selectAgent = prepare(store, lastSeen);
  const keep = createProbeKeeper(store);
  const setUrl = prepare(store, sourceUrl);

  function* writeObservation(observation: Observation, effects: VisitEffects, asked: boolean): SqlTask<void> {
    const { agent, at, exposed } = observation;
    const exposedText = exposed === undefined ? null : JSON.stringify(exposed);
    const hash = exposedText === null ? null : digest('sha256', exposedText);
    const before = (yield* selectAgent.first({ agent })) ?? NEVER_SEEN;
    const isNews = yield* keep({ observation, exposed: hash, asked }, before);
    // else the row of the probe that found the same before refers to it
    if (isNews && hash !== null && exposedText !== null) effects.contents.exposed.set(hash, exposedText);
    const good = hash === null ? before : goodFrom(observation, hash);
    const isKept = hash === null && good.good_at !== null && good.good_exposed !== null;
    const health = { ...observation.health, ...(isKept && { capabilitiesReadAt: good.good_at }) };
    const protocol = observation.protocol ?? before.protocol;
    const endpoint = observation.endpoint ?? before.endpoint;
    const lastSeenAt = health.online ? at : before.last_seen_at;
    const { first_seen_at: firstSeenAt } = before;
    const text = liveText({ firstSeenAt, lastSeenAt, lastCheckedAt: at, health });
    effects.observe({
      agent,
      at,
      lastSeenAt,
      health: JSON.stringify(health),
      seenText: text.seen,
      healthText: text.health,
      protocol,
      endpoint,
      ...goodFields(good),
      changed: differs(before, { ...good, protocol, endpoint }) ? 1 : 0,
    });
  }
  return function* (visit, effects) {
    const [held] = yield* call((db) => heldSources(db, [visit.lease]));
    if (held === undefined) return false;
    if (visit.observation !== undefined) {
      yield* writeObservation(visit.observation, effects, isBesidePlan(held, visit.at));
      // whoever named the agent first may have spelt it in a way that nobody answers
      const { protocol, dialledUrl: url } = visit.observation;
      if (protocol !== undefined && url !== held.url) yield* setUrl.run({ id: held.id, url });
    }
    yield* call((db) => writeVisited(db, afterProbe(visit, held)));
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
  day: null,
  found: null,
  probes: null,
  first_seen_at: 0, // an agent without a row keeps nothing of it
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
  b: Pick<T, keyof Good | 'protocol' | 'endpoint'>,
): boolean {
  const shown = ['protocol', 'endpoint', 'good_protocol', 'good_endpoint', 'good_exposed'] as const;
  return shown.some((name) => a[name] !== b[name]);
}

function sourceUrl(param: Param<{ id: number; url: string }>) {
  return sql
    .updateTable('source')
    .set({ url: param('url') })
    .where('id', '=', param('id'));
}

function lastSeen(param: Param<{ agent: string }>) {
  return sql
    .selectFrom('agent')
    .leftJoin('probe_today as today', 'today.agent', 'agent.agent')
    .select(['first_seen_at', 'last_seen_at', 'protocol', 'endpoint'])
    .select(['good_at', 'good_protocol', 'good_endpoint', 'good_exposed'])
    .select(['today.day', 'today.found', 'today.probes'])
    .where('agent.agent', '=', param('agent'));
}
