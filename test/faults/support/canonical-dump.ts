import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/** What the records say when no clock, number or trace is looked at: by table, each row as JSON, sorted. */
export type Dump = Readonly<Record<string, readonly string[]>>;

/** Both engines have the same tables, and these queries read them in both. Times, row ids and traces are left out. */
const QUERIES = {
  sources: `SELECT kind, key, url, last_outcome, failures, content_hash, absent_visits, findings,
    declaration IS NOT NULL AS declared FROM source`,
  declarations: `SELECT s.kind, s.key, d.value_hash, d.via, d.manager, d.url, d.content_hash
    FROM declaration d JOIN source s ON s.id = d.source WHERE d.seen_until IS NULL`,
  endedDeclarations: `SELECT s.kind, s.key, d.value_hash FROM declaration d JOIN source s ON s.id = d.source
    WHERE d.seen_until IS NOT NULL`,
  authorisations: `SELECT publisher, agent, entry, declared_url, via, authorized_for, scope, count_by_type, tags,
    seen_until IS NULL AS live FROM authorisation`,
  mentions: `SELECT declarer, file, agent, entry, declared_url, own, details, seen_until IS NULL AS live FROM mention`,
  references: `SELECT declarer, file, domain, reason FROM reference_to`,
  agents: `SELECT agent, authorisation_count, mention_count, publisher_count, property_count, health, protocol, endpoint,
    good_protocol, good_endpoint, good_exposed, dirty_since IS NOT NULL AS dirty FROM agent`,
  propertyCounts: 'SELECT agent, property_type, n FROM agent_property_count WHERE n > 0',
  tags: 'SELECT agent, tag, n FROM agent_tag WHERE n > 0',
  registrations: 'SELECT agent, url, member, type, name, description, contact FROM registration',
  bodies: 'SELECT hash FROM body',
  captures: `SELECT s.kind, s.key, c.requested_url, c.status, c.body_hash, c.error_code
    FROM capture c JOIN source s ON s.id = c.source`,
  probeChanges: 'SELECT agent, exposed FROM probe_change',
} as const;

/** Documents are compared without what is a time in them. */
const DOCUMENTS = 'SELECT agent, value FROM document WHERE hash IS NOT NULL';
const A_TIME = /^\d{4}-\d\d-\d\dT/;
/** Epoch milliseconds of this century, from 2001 on. */
const EARLIEST_TIME = 1_000_000_000_000;

/** In the health of an agent: when it was asked, and how long it took to answer. */
const MEASURED = /("(?:checked_at|capabilities_read_at|response_time_ms)":)(?:"[^"]*"|\d+)/g;

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Reads a store's address: `postgres://…` or `sqlite:PATH`. */
export async function canonicalDump(store: string): Promise<Dump> {
  return withQuery(store, async (query) => {
    const tables: [string, readonly string[]][] = [];
    for (const [name, sql] of Object.entries(QUERIES)) tables.push([name, lines(await query(sql))]);
    const documents = (await query(DOCUMENTS)).map(({ agent, value }) => ({
      agent,
      value: withoutTimes(JSON.parse(String(value))),
    }));
    return Object.fromEntries([...tables, ['documents', lines(documents)]]);
  });
}

/** The first few differences, in words; empty when there is none. */
export function differences(found: Dump, expected: Dump): readonly string[] {
  return Object.keys(expected).flatMap((table) => {
    const [have, want] = [new Set(found[table]), new Set(expected[table])];
    const missing = [...want].filter((row) => !have.has(row));
    const more = [...have].filter((row) => !want.has(row));
    const double = (found[table]?.length ?? 0) - have.size - ((expected[table]?.length ?? 0) - want.size);
    if (missing.length + more.length === 0 && double === 0) return [];
    const example = [
      ...missing.slice(0, 1).map((row) => `- ${row}`),
      ...more.slice(0, 1).map((row) => `+ ${row}`),
    ];
    return [
      `${table}: ${missing.length} missing, ${more.length} too many, ${double} double: ${example.join(' ')}`,
    ];
  });
}

/** How many rows each table has, for the log. */
export function sizes(dump: Dump): string {
  return Object.entries(dump)
    .map(([table, rows]) => `${table} ${rows.length}`)
    .join(', ');
}

/** Runs `work` with a way to ask the store. */
export async function withQuery<T>(
  store: string,
  work: (query: (sql: string) => Promise<Rows>) => Promise<T>,
): Promise<T> {
  return store.startsWith('sqlite:') ? withSqlite(store, work) : withPostgres(store, work);
}

async function withPostgres<T>(
  url: string,
  work: (query: (sql: string) => Promise<Rows>) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(async (sql) => (await client.query(sql)).rows);
  } finally {
    await client.end();
  }
}

async function withSqlite<T>(
  store: string,
  work: (query: (sql: string) => Promise<Rows>) => Promise<T>,
): Promise<T> {
  const database = new DatabaseSync(store.slice('sqlite:'.length), { readOnly: true });
  try {
    return await work(async (sql) => database.prepare(sql).all() as Rows);
  } finally {
    database.close();
  }
}

function lines(rows: Rows): readonly string[] {
  return rows.map((row) => JSON.stringify(Object.fromEntries(Object.entries(row).map(plain)))).toSorted();
}

/** One engine has booleans and big numbers where the other has numbers. */
function plain([name, value]: readonly [string, unknown]): readonly [string, unknown] {
  if (typeof value === 'boolean') return [name, value ? 1 : 0];
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return [name, Number(value)];
  if (typeof value === 'string') return [name, value.replaceAll(MEASURED, '$1 0')];
  return [name, value];
}

function withoutTimes(value: unknown): unknown {
  if (typeof value === 'string') return A_TIME.test(value) ? 'a time' : value;
  if (typeof value === 'number') return value >= EARLIEST_TIME ? 'a time' : value;
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutTimes(member)]));
}
