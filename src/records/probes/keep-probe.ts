import { hash } from 'node:crypto';
import type { Observation } from '../../domain/observation.ts';
import type { Tables } from '../schema.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import { dayOf, healthCode, type KeptProbe, type PackedDay, unpacked, withProbe } from './probe-log.ts';

/** What is kept of an agent's latest day, null for one that was never probed. */
export interface Today {
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

/** Adds a probe to its day; true when it found something else than the one before, which is then kept as a row. */
export type ProbeKeeper = (seen: SeenProbe, before: Today) => SqlTask<boolean>;

const NONE = new Uint8Array();

/** Inside the caller's transaction, of whoever has the lease on the agent. */
export function createProbeKeeper(store: Pick<SqlStore, 'dialect'>): ProbeKeeper {
  const putAway = createDayWriter(store);
  const putToday = createLatestDay(store);
  const insertChange = prepare(store, newChange);
  return function* ({ observation, exposed, asked }, before) {
    const { agent, at, exposed: _kept, ...rest } = observation;
    const day = dayOf(at);
    const found = whatWasFound(observation, exposed);
    const isOfDay = before.day === day;
    if (!isOfDay && before.day !== null && before.probes !== null)
      yield* putAway({ agent, day: before.day, probes: before.probes });
    const { online, responseTimeMs, errorClass } = observation.health;
    const probe: KeptProbe = {
      ...{ at, online, asked },
      ...(responseTimeMs !== undefined && { responseTimeMs }),
      ...(errorClass !== undefined && { errorClass }),
    };
    const probes = withProbe(isOfDay ? (before.probes ?? NONE) : NONE, probe);
    yield* putToday.run({ agent, day, found, probes });
    if (found === before.found) return false;
    yield* insertChange.run({ agent, at, value: JSON.stringify(rest), exposed });
    return true;
  };
}

/** Keeps an agent's latest day in the place of the one that was. */
export function createLatestDay(store: Pick<SqlStore, 'dialect'>) {
  return prepare(store, latestDay);
}

/** Keeps a day that is over. A clock that was put back may have kept some of it before. */
export function createDayWriter(
  store: Pick<SqlStore, 'dialect'>,
): (day: PackedDay & { readonly agent: string }) => SqlTask<void> {
  const select = prepare(store, keptDay);
  const upsert = prepare(store, pastDay);
  return function* ({ agent, day, probes }) {
    const known = yield* select.first({ agent, day });
    const parts = [...(known === undefined ? [] : [{ day, probes: known.probes }]), { day, probes }];
    const all = unpacked(parts);
    const packed = known === undefined ? probes : all.reduce<Uint8Array>(withProbe, NONE);
    yield* upsert.run({ agent, day, health: healthCode(all), probes: packed });
  };
}

/**
 * The same for probes that found the same: health with its reason, where and how the agent was called, what it exposed,
 * and findings by code and place. What was measured, and the words of an error, differ each time.
 */
export function whatWasFound(observation: Omit<Observation, 'exposed'>, exposed: string | null): string {
  const { dialledUrl, protocol, endpoint, health, findings } = observation;
  const { online, errorClass, toolsCount, resourcesCount } = health;
  const places = findings.map(({ code, pointer }) => [code, pointer]);
  const parts = [dialledUrl, protocol, endpoint, online, errorClass, toolsCount, resourcesCount, exposed];
  return hash('sha256', JSON.stringify([parts.map((part) => part ?? null), places]), 'base64url').slice(
    0,
    22,
  );
}

function latestDay(param: Param<Tables['probe_today']>) {
  return sql
    .insertInto('probe_today')
    .values({ agent: param('agent'), day: param('day'), found: param('found'), probes: param('probes') })
    .onConflict((known) =>
      known
        .column('agent')
        .doUpdateSet({ day: param('day'), found: param('found'), probes: param('probes') }),
    );
}

function keptDay(param: Param<{ agent: string; day: number }>) {
  return sql
    .selectFrom('probe_day')
    .select('probes')
    .where('day', '=', param('day'))
    .where('agent', '=', param('agent'));
}

function pastDay(param: Param<Tables['probe_day']>) {
  return sql
    .insertInto('probe_day')
    .values({ day: param('day'), agent: param('agent'), health: param('health'), probes: param('probes') })
    .onConflict((known) =>
      known.columns(['day', 'agent']).doUpdateSet({ health: param('health'), probes: param('probes') }),
    );
}

function newChange(param: Param<{ agent: string; at: number; value: string; exposed: string | null }>) {
  return sql
    .insertInto('probe_change')
    .values({ agent: param('agent'), at: param('at'), value: param('value'), exposed: param('exposed') });
}
