import { hash } from 'node:crypto';
import type { Observation } from '../../domain/observation.ts';
import type { Db } from '../database.ts';
import type { Tables } from '../tables.ts';
import { dayOf, healthCode, type KeptProbe, type PackedDay, unpacked, withProbe } from './probe-log.ts';

/** What is kept of an agent's latest day, null for one that was never probed. */
export interface LatestDay {
  readonly day: number | null;
  readonly found: string | null;
  readonly probes: Uint8Array | null;
}

/** A probe with the hash of what the agent exposed, null when nothing was read. */
export interface SeenProbe {
  readonly observation: Observation;
  readonly exposed: string | null;
  readonly asked: boolean;
}

const NONE = new Uint8Array();

/**
 * Adds a probe to its day. Returns whether it found something else than the one before; then it is also kept as a row.
 * Inside the transaction of the visit, which has the lease on the agent.
 */
export async function keepProbe(
  db: Db,
  { observation, exposed, asked }: SeenProbe,
  before: LatestDay,
): Promise<boolean> {
  const { agent, at, exposed: _kept, ...rest } = observation;
  const day = dayOf(at);
  const found = whatWasFound(observation, exposed);
  const isOfDay = before.day === day;
  if (!isOfDay && before.day !== null && before.probes !== null)
    await keepDay(db, { agent, day: before.day, probes: before.probes });
  const { online, responseTimeMs, errorClass } = observation.health;
  const probe: KeptProbe = {
    ...{ at, online, asked },
    ...(responseTimeMs !== undefined && { responseTimeMs }),
    ...(errorClass !== undefined && { errorClass }),
  };
  const probes = withProbe(isOfDay ? (before.probes ?? NONE) : NONE, probe);
  await keepToday(db, { agent, day, found, probes });
  if (found === before.found) return false;
  await db
    .insertInto('probe_change')
    .values({ agent, at, value: JSON.stringify(rest), exposed })
    .execute();
  return true;
}

/** Keeps an agent's latest day, in place of the one before. */
async function keepToday(db: Db, row: Tables['probe_today']): Promise<void> {
  const { day, found, probes } = row;
  await db
    .insertInto('probe_today')
    .values(row)
    .onConflict((known) => known.column('agent').doUpdateSet({ day, found, probes }))
    .execute();
}

/** Keeps a day that is over. If the clock was set back, a part of the day may have been kept before. */
async function keepDay(db: Db, { agent, day, probes }: PackedDay & { readonly agent: string }) {
  const known = await db
    .selectFrom('probe_day')
    .select('probes')
    .where('day', '=', day)
    .where('agent', '=', agent)
    .executeTakeFirst();
  const all = unpacked(
    known === undefined
      ? [{ day, probes }]
      : [
          { day, ...known },
          { day, probes },
        ],
  );
  const packed = known === undefined ? probes : all.reduce<Uint8Array>(withProbe, NONE);
  const health = healthCode(all);
  await db
    .insertInto('probe_day')
    .values({ day, agent, health, probes: packed })
    .onConflict((row) => row.columns(['day', 'agent']).doUpdateSet({ health, probes: packed }))
    .execute();
}

/**
 * The same for probes that found the same: health with its reason, where and how the agent was called, what it exposed,
 * and findings by code and place. What was measured, and the words of an error, differ each time.
 */
function whatWasFound(observation: Omit<Observation, 'exposed'>, exposed: string | null): string {
  const { dialledUrl, protocol, endpoint, health, findings } = observation;
  const { online, errorClass, toolsCount, resourcesCount } = health;
  const places = findings.map(({ code, pointer }) => [code, pointer]);
  const parts = [dialledUrl, protocol, endpoint, online, errorClass, toolsCount, resourcesCount, exposed];
  return hash('sha256', JSON.stringify([parts.map((part) => part ?? null), places]), 'base64url').slice(
    0,
    22,
  );
}
