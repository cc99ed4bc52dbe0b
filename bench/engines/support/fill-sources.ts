import type { Dialect } from '../../../src/adapters/sql/sql-tasks.ts';

/** Runs one statement on the store that is filled. */
export type Run = (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

export interface Filled {
  readonly domains: number;
  /** All times are around it, epoch milliseconds. */
  readonly now: number;
}

const DAY = 86_400_000;
const MONTH = 30 * DAY;
/** Rows of one statement. */
const CHUNK = 500_000;
/** A prime near the golden ratio of 2^32: times lie apart, and the same in each run. */
const SPREAD = 2_654_435_761;

/**
 * Fills a store with domains that never published, as most that are known are such: two sources each, visited within
 * the last month and due within the next, and the 404 of each. One domain in thirty was seen for the last time a month ago:
 * that is what a day's prune finds. Rows go straight into the tables, and those indexes that are only looked up come last.
 */
export async function fillSources(run: Run, dialect: Dialect, { domains, now }: Filled): Promise<void> {
  const indexes = await lookupIndexes(run, dialect);
  for (const { name } of indexes) await run(`DROP INDEX ${name}`);
  for (let from = 1; from <= domains; from += CHUNK) {
    const numbers = series(dialect, from, Math.min(from + CHUNK - 1, domains));
    const ago = `(n * ${SPREAD}) % ${MONTH}`;
    for (const [at, kind] of ['adagents', 'brand'].entries()) {
      const id = `n * 2 - ${1 - at}`;
      await run(`${numbers} INSERT INTO source (id, kind, key, visit, registrable_domain, found_via, first_seen_at,
          next_visit_at, last_visit_at, last_outcome, last_error, failures, absent_since, absent_visits, memory)
        SELECT ${id}, '${kind}', ${KEY}, 'domain', ${KEY}, 'list', ${now - 90 * DAY},
          ${now + MONTH} - ${ago}, ${now} - ${ago}, 'absent', '{"code":"http_404","detail":"answered 404"}', 12,
          ${now - 90 * DAY}, 12, '{}' FROM series`);
      await run(`${numbers} INSERT INTO capture (source, at, requested_url, status, bytes, duration_ms, last_seen_at, times)
        SELECT ${id}, ${now - 90 * DAY}, 'https://' || ${KEY} || '/.well-known/${kind}.json', 404, 1200, 80,
          CASE WHEN n % 30 = 0 THEN ${now - MONTH - 1} ELSE ${now} - ${ago} END, 12 FROM series`);
    }
  }
  for (const { definition } of indexes) await run(definition);
  await run('ANALYZE');
}

const KEY = "'d' || n || '.example'";

function series(dialect: Dialect, from: number, to: number): string {
  return dialect === 'postgres'
    ? `WITH series AS (SELECT generate_series(${from}::bigint, ${to}) AS n)`
    : `WITH RECURSIVE series(n) AS (VALUES (${from}) UNION ALL SELECT n + 1 FROM series WHERE n < ${to})`;
}

interface LookupIndex {
  readonly name: string;
  readonly definition: string;
}

async function lookupIndexes(run: Run, dialect: Dialect): Promise<readonly LookupIndex[]> {
  const rows = await run(
    dialect === 'postgres'
      ? `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
         WHERE tablename IN ('source', 'capture') AND indexdef LIKE 'CREATE INDEX%'`
      : `SELECT name, sql AS definition FROM sqlite_schema
         WHERE type = 'index' AND tbl_name IN ('source', 'capture') AND sql IS NOT NULL`,
  );
  return rows as unknown as readonly LookupIndex[];
}

/** Bytes of both tables with their indexes. */
export async function bytesOfSources(run: Run, dialect: Dialect): Promise<number> {
  const [row] = await run(
    dialect === 'postgres'
      ? "SELECT pg_total_relation_size('source') + pg_total_relation_size('capture') AS bytes"
      : `SELECT sum(pgsize) AS bytes FROM dbstat WHERE aggregate = TRUE
         AND name IN (SELECT name FROM sqlite_schema WHERE tbl_name IN ('source', 'capture'))`,
  );
  return Number(row?.bytes);
}
