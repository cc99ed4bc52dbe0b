import { sql as rawSql } from 'kysely';
import type { HealthSeen } from '../../domain/health-history.ts';
import type { ErrorClass } from '../../domain/observation.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

/** What is kept of each probe. */
export interface KeptProbe extends HealthSeen {
  /** It was made beside the schedule, as somebody asked for it: it says nothing of how often an agent is there. */
  readonly asked: boolean;
}

/** The probes of one agent on one day, as they are kept. */
export interface PackedDay {
  /** Whole days since 1970. */
  readonly day: number;
  readonly probes: Uint8Array;
}

const DAY_MS = 86_400_000;
/** A probe: 27 bits of the millisecond of the day, 5 of what was found; a bit for `asked`, 23 of latency. */
export const PROBE_BYTES = 7;
/** A plan makes some 25 a day. Later ones of a day that is full are not kept. */
export const MAX_OF_DAY = 1_000;
/** Probes that are asked for never take the places of planned ones. */
const MAX_WITH_ASKED = MAX_OF_DAY / 2;

/** In the files of every registry: a number is never given to another class. At most 15. */
const CODES: Readonly<Record<ErrorClass, number>> = {
  dns: 1,
  refused: 2,
  tls: 3,
  timeout: 4,
  auth_required: 5,
  wrong_path: 6,
  not_protocol: 7,
  http_error: 8,
  blocked: 9,
  other_origin: 10,
  too_large: 11,
  input_required: 12,
};
const CLASSES = new Map(Object.entries(CODES).map(([name, code]) => [code, name as ErrorClass]));
const ONLINE = 16;
const ASKED = 1 << 23;
/** Of a latency, counted from 1: 0 says that there is none. Two hours and more. */
const MOST_LATENCY = ASKED - 1;

/** The day in which a moment lies, in epoch milliseconds. */
export function dayOf(at: number): number {
  return Math.floor(Math.round(at) / DAY_MS);
}

export function countPacked(packed: Pick<PackedDay, 'probes'>): number {
  return Math.floor(packed.probes.byteLength / PROBE_BYTES);
}

/** The bytes of a day with one probe more, if it has room for it. */
export function withProbe(before: Uint8Array, probe: KeptProbe): Uint8Array {
  const length = countPacked({ probes: before });
  if (length >= (probe.asked ? MAX_WITH_ASKED : MAX_OF_DAY)) return before;
  const after = Buffer.alloc((length + 1) * PROBE_BYTES);
  after.set(before.subarray(0, length * PROBE_BYTES));
  const { at, online, errorClass, responseTimeMs, asked } = probe;
  const found = (online ? ONLINE : 0) + (errorClass === undefined ? 0 : CODES[errorClass]);
  const ofDay = Math.round(at) - dayOf(at) * DAY_MS;
  const latency =
    responseTimeMs === undefined ? 0 : Math.min(MOST_LATENCY, Math.max(0, Math.round(responseTimeMs)) + 1);
  after.writeUInt32BE(ofDay * 32 + found, length * PROBE_BYTES);
  after.writeUIntBE((asked ? ASKED : 0) + latency, length * PROBE_BYTES + 4, 3);
  return after;
}

/** The probes of days, oldest first; of two of one moment the one that was kept first. */
export function unpacked(days: readonly PackedDay[]): readonly KeptProbe[] {
  const probes = days.flatMap(probesOf);
  return probes.sort((a, b) => a.at - b.at);
}

function probesOf({ day, probes }: PackedDay): KeptProbe[] {
  const bytes = Buffer.from(probes.buffer, probes.byteOffset, probes.byteLength);
  return Array.from({ length: countPacked({ probes }) }, (_, index): KeptProbe => {
    const head = bytes.readUInt32BE(index * PROBE_BYTES);
    const tail = bytes.readUIntBE(index * PROBE_BYTES + 4, 3);
    const errorClass = CLASSES.get(head % ONLINE);
    const latency = tail % ASKED;
    return {
      at: day * DAY_MS + Math.floor(head / 32),
      online: head % 32 >= ONLINE,
      asked: tail >= ASKED,
      ...(latency > 0 && { responseTimeMs: latency - 1 }),
      ...(errorClass !== undefined && { errorClass }),
    };
  });
}

/** 0: no planned probe of the day was answered; 1: some; 2: all. Null: there was none. */
export function healthCode(probes: readonly KeptProbe[]): number | null {
  const planned = probes.filter(({ asked }) => !asked);
  if (planned.length === 0) return null;
  const answered = planned.filter(({ online }) => online).length;
  if (answered === 0) return 0;
  return answered === planned.length ? 2 : 1;
}

/** Epoch milliseconds, both ends included. */
export interface LogPeriod {
  readonly from: number;
  readonly until: number;
}

interface ProbeLog {
  /** Oldest first. */
  readonly probes: readonly KeptProbe[];
  /** A day was full: what came later on it is not there. */
  readonly isCut: boolean;
}

/** Probes are kept for 90 days and looked at with those of the day before; what is asked beyond is empty. */
const MAX_DAYS = 100;

/** Reads an agent's probes of a period: one statement, with one look for each day. */
export function createProbeLog(store: SqlStore): (agent: string, period: LogPeriod) => SqlTask<ProbeLog> {
  const select = prepare(store, daysOfAgent);
  return function* (agent, { from, until }) {
    const last = dayOf(until);
    const days = yield* select.all({ agent, first: Math.max(dayOf(from), last - MAX_DAYS), last });
    const probes = unpacked(days).filter(({ at }) => at >= from && at <= until);
    return { probes, isCut: days.some((day) => countPacked(day) >= MAX_OF_DAY) };
  };
}

function daysOfAgent(param: Param<{ agent: string; first: number; last: number }>) {
  return eachDay(param)
    .selectFrom('day')
    .innerJoin('probe_day', 'probe_day.day', 'day.number')
    .select(['probe_day.day', 'probe_day.probes'])
    .where('probe_day.agent', '=', param('agent'))
    .unionAll(
      sql
        .selectFrom('probe_today')
        .select(['day', 'probes'])
        .where('agent', '=', param('agent'))
        .where('day', '>=', param('first'))
        .where('day', '<=', param('last')),
    );
}

/** A table `day` of numbers, so that rows are looked up by their key, which begins with the day. */
export function eachDay(param: Param<{ first: number; last: number }>) {
  const number = (name: 'first' | 'last') => rawSql<number>`cast(${param(name)} as bigint)`;
  return sql.withRecursive('day(number)', (db) =>
    db
      .selectNoFrom(number('first').as('number'))
      .where(number('first'), '<=', number('last'))
      .unionAll(
        db
          .selectFrom('day')
          .select((row) => row('day.number', '+', 1).as('number'))
          .where('day.number', '<', number('last')),
      ),
  );
}
