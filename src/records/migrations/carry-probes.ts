import { type RawBuilder, sql as rawSql } from 'kysely';
import type { ErrorClass, Observation } from '../../domain/observation.ts';
import { keepDay, keepToday, whatWasFound } from '../probes/keep-probe.ts';
import { dayOf, type KeptProbe, withProbe } from '../probes/probe-log.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { all, run } from '../statements.ts';
import { PROBE_TABLES } from './009.ts';
import { inPostgres, statementsOf } from './in-postgres.ts';

type Engine = Pick<SqlStore, 'dialect'>;
type Kept = Omit<Observation, 'agent' | 'at' | 'exposed'>;

/** Rows of one agent, read at a time. */
const CHUNK = 1_000;

interface OldRow {
  readonly id: number;
  readonly at: number;
  readonly asked: number;
  readonly online: number | null;
  readonly response_ms: number | null;
  readonly error_class: ErrorClass | null;
  readonly exposed: string | null;
  /** Only where it differs from the row before in what can be seen without it, and of the earliest versions. */
  readonly value: string | null;
}

/**
 * Carries the rows of `observation`, one for each probe, into packed days and changes: agent by agent, some thousand rows
 * at a time. Inside the caller's transaction.
 */
export function* carryProbes(engine: Engine): SqlTask<void> {
  const tables = engine.dialect === 'postgres' ? inPostgres(PROBE_TABLES) : PROBE_TABLES;
  for (const text of statementsOf(tables)) yield* run(engine, rawSql.raw(text));
  const carry = createCarrier(engine);
  for (let after = ''; ; ) {
    const next = rawSql<{
      agent: string;
    }>`SELECT agent FROM observation WHERE agent > ${after} ORDER BY agent LIMIT 1`;
    const [found] = yield* all(engine, next);
    if (found === undefined) return;
    yield* carry(found.agent);
    after = found.agent;
  }
}

function createCarrier(engine: Engine): (agent: string) => SqlTask<void> {
  return function* (agent) {
    let today: { day: number; probes: Uint8Array } | undefined;
    let found = '';
    let last: Pick<OldRow, 'at' | 'id'> = { at: Number.MIN_SAFE_INTEGER, id: 0 };
    for (;;) {
      const rows = yield* all(engine, rowsAfter(agent, last));
      for (const row of rows) {
        const kept = row.value === null ? undefined : (JSON.parse(row.value) as Kept);
        const day = dayOf(row.at);
        if (today !== undefined && today.day !== day) {
          const past = { agent, ...today };
          yield* call((db) => keepDay(db, past));
        }
        const before = today?.day === day ? today.probes : new Uint8Array();
        today = { day, probes: withProbe(before, probeOf(row, kept)) };
        if (kept === undefined) continue;
        const seen = whatWasFound({ agent, at: row.at, ...kept }, row.exposed);
        if (seen !== found) yield* run(engine, changeOf(agent, row));
        found = seen;
      }
      last = rows.at(-1) ?? last;
      if (rows.length < CHUNK) break;
    }
    if (today !== undefined) {
      const latest = { agent, ...today, found };
      yield* call((db) => keepToday(db, latest));
    }
  };
}

function probeOf(row: OldRow, kept: Kept | undefined): KeptProbe {
  const { at, asked, online, response_ms: latency, error_class: errorClass } = row;
  if (online === null && kept !== undefined) {
    const { health } = kept;
    return {
      ...{ at, asked: asked === 1, online: health.online },
      ...(health.responseTimeMs !== undefined && { responseTimeMs: health.responseTimeMs }),
      ...(health.errorClass !== undefined && { errorClass: health.errorClass }),
    };
  }
  return {
    ...{ at, asked: asked === 1, online: online === 1 },
    ...(latency !== null && { responseTimeMs: latency }),
    ...(errorClass !== null && { errorClass }),
  };
}

/** The first row of a chunk has its value in any case: whether it differs from the one before is compared then. */
function rowsAfter(agent: string, { at, id }: Pick<OldRow, 'at' | 'id'>): RawBuilder<OldRow> {
  const before = (column: string) => rawSql`lag(${rawSql.ref(column)}) OVER (ORDER BY at, id)`;
  const differs = ['online', 'error_class', 'exposed'].map(
    (column) => rawSql`${rawSql.ref(column)} IS DISTINCT FROM ${before(column)}`,
  );
  return rawSql<OldRow>`SELECT id, at, asked, online, response_ms, error_class, exposed,
    CASE WHEN online IS NULL OR lag(id) OVER (ORDER BY at, id) IS NULL OR ${rawSql.join(differs, rawSql` OR `)} THEN value END AS value
    FROM (SELECT * FROM observation WHERE agent = ${agent} AND (at > ${at} OR (at = ${at} AND id > ${id}))
      ORDER BY at, id LIMIT ${rawSql.lit(CHUNK)}) AS rows_of_agent ORDER BY at, id`;
}

function changeOf(agent: string, { at, value, exposed }: OldRow) {
  return rawSql`INSERT INTO probe_change (agent, at, value, exposed) VALUES (${agent}, ${at}, ${value}, ${exposed})`;
}
