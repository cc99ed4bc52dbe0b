import { sql } from 'kysely';
import type { HealthSeen } from '../../domain/health-history.ts';
import type { ErrorClass } from '../../domain/observation.ts';
import type { Db } from '../database.ts';

/** What is kept of each probe. */
export interface KeptProbe extends HealthSeen {
  /** It was requested, not planned, so it does not count towards the uptime. */
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
/** The schedule makes some 25 a day. A day that is full keeps no more. */
export const MAX_OF_DAY = 1_000;
/** Requested probes never take the places of planned ones. */
const MAX_WITH_ASKED = MAX_OF_DAY / 2;

/** Stored in every registry: never reuse a number. At most 15. */
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
/** Stored as latency + 1, 0 = none. Two hours and more. */
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
interface LogPeriod {
  readonly from: number;
  readonly until: number;
}

interface ProbeLog {
  /** Oldest first. */
  readonly probes: readonly KeptProbe[];
  /** A day was full, so that its later probes are missing. */
  readonly isCut: boolean;
}

/** Probes are kept for 90 days, and read with those of the day before. */
const MAX_DAYS = 100;

/** Reads an agent's probes of a period. */
export async function readProbeLog(db: Db, agent: string, { from, until }: LogPeriod): Promise<ProbeLog> {
  const last = dayOf(until);
  const first = Math.max(dayOf(from), last - MAX_DAYS);
  const days = await eachDay(db, first, last)
    .selectFrom('day')
    .innerJoin('probe_day', 'probe_day.day', 'day.number')
    .select(['probe_day.day', 'probe_day.probes'])
    .where('probe_day.agent', '=', agent)
    .unionAll(
      db
        .selectFrom('probe_today')
        .select(['day', 'probes'])
        .where('agent', '=', agent)
        .where('day', '>=', first)
        .where('day', '<=', last),
    )
    .execute();
  const probes = unpacked(days).filter(({ at }) => at >= from && at <= until);
  return { probes, isCut: days.some((day) => countPacked(day) >= MAX_OF_DAY) };
}

/**
 * Adds a table `day` of the numbers from `first` to `last` to a query. With it rows of `probe_day` are found by their key,
 * which begins with the day.
 */
export function eachDay(db: Db, first: number, last: number) {
  const begin = sql<number>`cast(${first} as bigint)`;
  const end = sql<number>`cast(${last} as bigint)`;
  return db.withRecursive('day(number)', (days) =>
    days
      .selectNoFrom(begin.as('number'))
      .where(begin, '<=', end)
      .unionAll(
        days
          .selectFrom('day')
          .select((row) => row('day.number', '+', 1).as('number'))
          .where('day.number', '<', end),
      ),
  );
}
