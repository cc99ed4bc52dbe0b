import { hash } from 'node:crypto';
import type { SqliteDatabase } from '../../src/records/sqlite/database.ts';
import { beginBulk, endBulk } from './in-bulk.ts';

/** Edges of each publisher; every tenth publisher has the network's agent among them. */
export const EDGES = 10;
export const NETWORK = 'https://network.example/mcp';
const AGENTS = 20_000;
/** Since when the rows stand. */
export const FILLED_AT = Date.UTC(2026, 0, 1);

export const publisherAt = (n: number): string => `p${n}.example`;
/** The agent of a publisher's edge; the tenth publishers give their first edge to the network. */
export function agentAt(n: number, edge: number): string {
  if (edge === 0 && n % 10 === 0) return NETWORK;
  return `https://a${(n * 7 + edge * 1_999) % AGENTS}.example/mcp`;
}

/** They are made when the rows are there. */
export const INDEXES = ['authorisation_publisher', 'authorisation_agent', 'property_publisher'];

/** Fills a store that is empty; takes one that was filled so before, and throws for any other. Returns the seconds. */
export function fillOnce(database: SqliteDatabase, publishers: number): number {
  const begun = performance.now();
  const there = Number(
    database.statement("SELECT count(*) AS n FROM source WHERE kind = 'adagents'").get()?.n,
  );
  if (there === 0) fillEdges(database, publishers);
  else if (there !== publishers)
    throw new Error(`the store has ${there} publishers and not ${publishers}; name another, or remove it`);
  return (performance.now() - begun) / 1_000;
}

/**
 * Rows as visits leave them, written in bulk: with the indexes made at the end. Every publisher has a
 * site that nine of its agents sell, some of them in two countries, and an app that the tenth sells.
 */
export function fillEdges(database: SqliteDatabase, publishers: number): void {
  const made = INDEXES.map((name) => {
    const found = database.statement('SELECT sql FROM sqlite_schema WHERE name = ?').get(name);
    return String(found?.sql);
  });
  beginBulk(database);
  for (const name of INDEXES) database.exec(`DROP INDEX ${name}`);
  database.transaction(() => {
    const write = statementsOf(database);
    for (let n = 0; n < publishers; n += 1) fillPublisher(write, n);
  });
  for (const sql of made) database.exec(sql);
  endBulk(database);
}

function statementsOf(database: SqliteDatabase) {
  const edge = `INSERT INTO authorisation (publisher, agent, entry, declared_url, via, scope, count_by_type, tags, covers, limits,
    seen_from) VALUES (?, ?, ?, ?, 'own', 'property_ids', '{"website":1}', '[]', ?, ?, ${FILLED_AT})`;
  const source = `INSERT INTO source (id, kind, key, visit, registrable_domain, found_via, first_seen_at, next_visit_at,
    last_visit_at, last_success_at, last_outcome, content_hash, declaration)
    VALUES (?1, 'adagents', ?2, 'domain', ?2, 'bench', ${FILLED_AT}, ${FILLED_AT}, ${FILLED_AT}, ${FILLED_AT}, 'indexed', 'x@2,500,10000', ?1)`;
  const declaration = `INSERT INTO declaration (id, source, value_hash, via, url, content_hash, agents, properties, seen_from)
    VALUES (?1, ?1, ?2, 'own', ?3, 'x@2,500,10000', ${EDGES}, 2, ${FILLED_AT})`;
  const property = `INSERT INTO property (id, publisher, property_id, property_type, name, identifiers, tags)
    VALUES (?, ?, ?, ?, ?, ?, '[]')`;
  return {
    edge: database.statement(edge),
    source: database.statement(source),
    declaration: database.statement(declaration),
    property: database.statement(property),
    value: database.statement("INSERT INTO declared_value (hash, value, findings) VALUES (?, ?, '[]')"),
    name: database.statement('INSERT INTO property_name (name, publisher, property) VALUES (?, ?, ?)'),
  };
}

function fillPublisher(write: ReturnType<typeof statementsOf>, n: number): void {
  const { publisher, edges, properties, value, valueHash, url } = publisherRows(n);
  for (const { agent, entry, covers, limits } of edges)
    write.edge.run(publisher, agent, entry, agent, covers, limits);
  for (const { id, propertyId, propertyType, identifiers, names } of properties) {
    write.property.run(id, publisher, propertyId, propertyType, propertyId, identifiers);
    for (const name of names) write.name.run(name, publisher, id);
  }
  write.value.run(valueHash, value);
  write.source.run(n + 1, publisher);
  write.declaration.run(n + 1, valueHash, url);
}

/** All that the rows of the n-th publisher have of their own, its declaration among them. */
export function publisherRows(n: number) {
  const publisher = publisherAt(n);
  const properties = [
    { propertyId: 'site', propertyType: 'website', identifiers: [{ type: 'domain', value: publisher }] },
    {
      propertyId: 'app',
      propertyType: 'mobile_app',
      identifiers: [{ type: 'ios_bundle', value: `com.p${n}` }],
    },
  ];
  const entries = Array.from({ length: EDGES }, (_, edge) => {
    const ids = edge === EDGES - 1 ? 'app' : 'site';
    const limits = edge % 3 === 2 ? { countries: ['DE', 'AT'] } : {};
    return { pointer: `/authorized_agents/${edge}`, agent: agentAt(n, edge), ids, limits };
  });
  const value = JSON.stringify({
    kind: 'adagents',
    variant: 'inline',
    entries: entries.map(({ pointer, agent, ids, limits }) => ({
      ...{ pointer, url: agent, agent, authorizedFor: 'Display', limits, signingKeys: [] },
      scope: { type: 'property_ids', propertyIds: [ids] },
    })),
    properties: properties.map((property) => ({ ...property, name: property.propertyId, tags: [] })),
    revokedPublisherDomains: [],
    catalogue: { collections: 0, placements: 0, formats: 0, signals: 0 },
  });
  return {
    publisher,
    url: `https://${publisher}/.well-known/adagents.json`,
    value,
    valueHash: hash('sha256', value),
    edges: entries.map(({ pointer, agent, ids, limits }) => ({
      ...{ agent, entry: pointer, covers: JSON.stringify({ ids: `\n${ids}\n` }) },
      limits: 'countries' in limits ? JSON.stringify(limits) : null,
    })),
    properties: properties.map(({ identifiers, ...property }, place) => ({
      ...{ ...property, id: n * 2 + place + 1, identifiers: JSON.stringify(identifiers) },
      names: [
        `#:${property.propertyId}`,
        ...identifiers.slice(0, 1).map(({ type, value: name }) => `${type}:${name}`),
      ],
    })),
  };
}
