import type { ParseArgsOptionsConfig } from 'node:util';
import pg from 'pg';
import { openRecords } from '../../../src/compose/engines.ts';
import { readConfig } from '../../../src/config.ts';
import { startPostgres } from '../../../test/engines/start/postgres.ts';
import { EDGES, FILLED_AT, INDEXES, publisherRows } from '../../support/fill-edges.ts';

/** Options of the benchmarks about edges: a database that is named is kept, and used again when it is filled. */
export const EDGE_OPTIONS = {
  publishers: { type: 'string', default: '1000000' },
  rounds: { type: 'string', default: '500' },
  database: { type: 'string' },
  quick: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

interface EdgePlaces {
  readonly publishers: number;
  /** `postgres://…`. Default: a PostgreSQL of its own for this time. */
  readonly database: string | undefined;
}

/** Settings of a server for many rows; with the defaults the indexes would be read from the disk all the time. */
const SETTINGS = { shared_buffers: '2GB', max_wal_size: '16GB', maintenance_work_mem: '1GB' };
/** Publishers in one statement. */
const CHUNK = 1_000;

const AT = FILLED_AT;
const TEXTS = {
  declared_value: `(hash, value, findings) SELECT hash, value, '[]'
    FROM unnest($1::text[], $2::text[]) AS rows (hash, value)`,
  source: `(id, kind, key, visit, registrable_domain, found_via, first_seen_at, next_visit_at, last_visit_at, last_success_at,
    last_outcome, content_hash, declaration)
    SELECT id, 'adagents', key, 'domain', key, 'bench', ${AT}, ${AT}, ${AT}, ${AT}, 'indexed', 'x@2,500,10000', id
    FROM unnest($1::bigint[], $2::text[]) AS rows (id, key)`,
  declaration: `(id, source, value_hash, via, url, content_hash, agents, properties, seen_from)
    SELECT id, id, hash, 'own', url, 'x@2,500,10000', ${EDGES}, 2, ${AT}
    FROM unnest($1::bigint[], $2::text[], $3::text[]) AS rows (id, hash, url)`,
  authorisation: `(publisher, agent, entry, declared_url, via, scope, count_by_type, tags, covers, limits, seen_from)
    SELECT publisher, agent, entry, agent, 'own', 'property_ids', '{"website":1}', '[]', covers, limits, ${AT}
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS rows (publisher, agent, entry, covers, limits)`,
  property: `(id, publisher, property_id, property_type, name, identifiers, tags)
    SELECT id, publisher, property_id, type, property_id, identifiers, '[]'
    FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[]) AS rows (id, publisher, property_id, type, identifiers)`,
  property_name: `(name, publisher, property) SELECT name, publisher, property
    FROM unnest($1::text[], $2::text[], $3::bigint[]) AS rows (name, publisher, property)`,
} as const;

/** Runs `work` with the URL of a database that has the rows of `fillEdges`. */
export async function withEdges(
  { publishers, database }: EdgePlaces,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const postgres = database === undefined ? await startPostgres({ settings: SETTINGS }) : undefined;
  try {
    const url = database ?? (await postgres?.createDatabase()) ?? '';
    if (await isEmpty(url)) await fill(url, publishers);
    await work(url);
  } finally {
    await postgres?.stop();
  }
}

async function isEmpty(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query("SELECT to_regclass('authorisation') IS NULL AS empty");
  await client.end();
  return rows[0]?.empty === true;
}

/** The rows of `fillEdges` in an empty database, written in bulk: the indexes are made at the end. */
async function fill(url: string, publishers: number): Promise<void> {
  const started = performance.now();
  const { records } = await openRecords({ ...readConfig({}), store: url }, { create: true });
  await records.close();
  const client = new pg.Client(url);
  await client.connect();
  try {
    // no foreign key is looked up while the rows are written
    await client.query('SET session_replication_role = replica');
    const { rows: made } = await client.query<{ indexdef: string }>(
      'SELECT indexdef FROM pg_indexes WHERE indexname = ANY ($1)',
      [INDEXES],
    );
    for (const name of INDEXES) await client.query(`DROP INDEX ${name}`);
    for (let from = 0; from < publishers; from += CHUNK)
      await fillChunk(client, from, Math.min(CHUNK, publishers - from));
    for (const { indexdef } of made) await client.query(indexdef);
    await client.query('VACUUM ANALYZE');
    const { rows } = await client.query<{ size: string }>(
      'SELECT pg_size_pretty(pg_database_size(current_database())) AS size',
    );
    const seconds = (performance.now() - started) / 1_000;
    console.log(`${publishers * EDGES} edges filled in ${seconds.toFixed(0)} s, ${rows[0]?.size}`);
  } finally {
    await client.end();
  }
}

async function fillChunk(client: pg.Client, from: number, count: number): Promise<void> {
  const places = Array.from({ length: count }, (_, place) => from + place);
  const rows = places.map(publisherRows);
  const ids = places.map((n) => n + 1);
  const edges = rows.flatMap(({ publisher, edges: own }) => own.map((edge) => ({ publisher, ...edge })));
  const properties = rows.flatMap(({ publisher, properties: own }) =>
    own.map((one) => ({ publisher, ...one })),
  );
  const names = properties.flatMap(({ id, publisher, names: own }) =>
    own.map((name) => ({ name, publisher, id })),
  );
  const values: Readonly<Record<keyof typeof TEXTS, readonly unknown[]>> = {
    declared_value: [rows.map(({ valueHash }) => valueHash), rows.map(({ value }) => value)],
    source: [ids, rows.map(({ publisher }) => publisher)],
    declaration: [ids, rows.map(({ valueHash }) => valueHash), rows.map(({ url }) => url)],
    authorisation: [
      ...(['publisher', 'agent', 'entry', 'covers', 'limits'] as const).map((key) =>
        edges.map((edge) => edge[key]),
      ),
    ],
    property: [
      ...(['id', 'publisher', 'propertyId', 'propertyType', 'identifiers'] as const).map((key) =>
        properties.map((property) => property[key]),
      ),
    ],
    property_name: [...(['name', 'publisher', 'id'] as const).map((key) => names.map((name) => name[key]))],
  };
  for (const [table, text] of Object.entries(TEXTS))
    await client.query({
      name: table,
      text: `INSERT INTO ${table} ${text}`,
      values: [...values[table as keyof typeof TEXTS]],
    });
}
