import { hash as digest } from 'node:crypto';
import { sql } from 'kysely';
import { healthGroup, type Observation } from '../../domain/observation.ts';
import type { ProbeVisit } from '../../domain/visit.ts';
import type { Db } from '../database.ts';
import { keepProbe } from '../probes/keep-probe.ts';
import { addAgents } from '../sources/known-sources.ts';
import { heldSources, isBesidePlan, writeResult } from './held-sources.ts';
import type { VisitChanges } from './visit-changes.ts';

/**
 * Writes the rows of a probed agent, and returns what else the probe changes. If the lease was lost meanwhile, nothing is
 * written, and undefined is returned.
 */
export async function commitProbeVisit(db: Db, visit: ProbeVisit): Promise<VisitChanges | undefined> {
  const [source] = (await heldSources(db, [visit.lease])) ?? [];
  if (source === undefined) return undefined;
  const { observation, found, run, at, trace } = visit;
  // the file that named the agent first may have spelt its URL in a way that is never answered
  const url = observation?.protocol === undefined ? source.url : observation.dialledUrl;
  await writeResult(db, source, visit, { url });
  if (observation !== undefined)
    await writeObservation(db, observation, { asked: isBesidePlan(source, at), trace });
  return {
    ...{ at, trace, agents: new Map(), marks: [] },
    found: found.map((one) => ({ ...one, at, trace })),
    ...(run !== undefined && { step: { run, kind: 'agent', key: visit.lease.key, at, targets: found } }),
  };
}

interface ProbeOptions {
  /** The probe was requested, in addition to the planned ones. */
  readonly asked: boolean;
  readonly trace: string | undefined;
}

/** Keeps what a probe saw of an agent. What an agent exposed last stays when a later probe reads nothing. */
async function writeObservation(
  db: Db,
  observation: Observation,
  { asked, trace }: ProbeOptions,
): Promise<void> {
  const { agent, at } = observation;
  const exposed = observation.exposed === undefined ? undefined : JSON.stringify(observation.exposed);
  const exposedHash = exposed === undefined ? null : digest('sha256', exposed);
  const known = await lastSeen(db, agent);
  if (known === undefined) await addAgents(db, [{ agent, at, trace }]);
  const before = known ?? NEVER_SEEN;
  const isNews = await keepProbe(db, { observation, exposed: exposedHash, asked }, before);
  // if it is no news, a row of an earlier probe refers to the same content
  if (isNews && exposedHash !== null && exposed !== undefined)
    await db
      .insertInto('exposed')
      .values({ hash: exposedHash, value: exposed })
      .onConflict((one) => one.column('hash').doNothing())
      .execute();
  const good =
    exposedHash === null
      ? {
          good_at: before.good_at,
          good_protocol: before.good_protocol,
          good_endpoint: before.good_endpoint,
          good_exposed: before.good_exposed,
        }
      : {
          good_at: at,
          good_protocol: observation.protocol ?? null,
          good_endpoint: observation.endpoint ?? null,
          good_exposed: exposedHash,
        };
  const isKept = exposedHash === null && good.good_at !== null && good.good_exposed !== null;
  const { online } = observation.health;
  const health = healthGroup(observation.health, at, isKept ? good.good_at : null);
  const after = {
    ...good,
    protocol: observation.protocol ?? before.protocol,
    endpoint: observation.endpoint ?? before.endpoint,
  };
  const shown = ['protocol', 'endpoint', 'good_protocol', 'good_endpoint', 'good_exposed'] as const;
  const isChanged = shown.some((column) => after[column] !== before[column]); // a document shows no times
  await db
    .updateTable('agent')
    .set({
      ...after,
      last_checked_at: at,
      last_seen_at: online ? at : before.last_seen_at,
      health: JSON.stringify(health),
      ...(isChanged && {
        revision: sql`revision + 1`,
        dirty_since: sql`coalesce(dirty_since, ${at})`,
        ...(trace !== undefined && { trace }),
      }),
    })
    .where('agent', '=', agent)
    .execute();
}

const NEVER_SEEN = {
  ...({ day: null, found: null, probes: null, last_seen_at: null, protocol: null, endpoint: null } as const),
  ...({ good_at: null, good_protocol: null, good_endpoint: null, good_exposed: null } as const),
};

/** What is known of an agent, with its probes of the latest day. */
function lastSeen(db: Db, agent: string) {
  return db
    .selectFrom('agent')
    .leftJoin('probe_today as today', 'today.agent', 'agent.agent')
    .select(['last_seen_at', 'protocol', 'endpoint'])
    .select(['good_at', 'good_protocol', 'good_endpoint', 'good_exposed'])
    .select(['today.day', 'today.found', 'today.probes'])
    .where('agent.agent', '=', agent)
    .executeTakeFirst();
}
