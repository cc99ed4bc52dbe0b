import { sql } from 'kysely';
import type { AgentDocument, SavedDocument } from '../../domain/agent-document.ts';
import { type Db, insertInChunks } from '../../records/database.ts';
import { AXIS_SETS, labelsOf, parameterValues } from '../query/index-fields.ts';
import { recordGroups } from '../query/record-groups.ts';
import { lastingFactor, searchDocument, TEXT_NAMES } from '../query/search-document.ts';
import { badgeValue, exactText } from './filter-sql.ts';
import { type IndexTables, tablesOf } from './tables.ts';

/** Writes documents into a generation, or drops agents without one. An older version never wins. */
export async function writeDocuments(
  db: Db,
  generation: number,
  documents: readonly SavedDocument[],
): Promise<void> {
  const tables = tablesOf(generation);
  for (const document of documents) await writeDocument(db, tables, document);
}

async function writeDocument(
  db: Db,
  tables: IndexTables,
  { agent: url, version, document }: SavedDocument,
): Promise<void> {
  const { rows } = await sql<{ id: number | null; version: number }>`
    SELECT id, version FROM ${tables.agent} JOIN ${tables.document} USING (id) WHERE url = ${url}
    UNION ALL SELECT NULL, version FROM ${tables.dropped} WHERE url = ${url}`.execute(db);
  const [stored] = rows;
  if (stored !== undefined && stored.version >= version) return;
  const id = stored?.id ?? null;
  if (id !== null) await deleteAgent(db, tables, id, url);
  if (document === undefined)
    await sql`
      INSERT INTO ${tables.dropped} (url, version) VALUES (${url}, ${version})
      ON CONFLICT (url) DO UPDATE SET version = excluded.version`.execute(db);
  else await insertAgent(db, tables, { id, version, document });
}

async function deleteAgent(db: Db, tables: IndexTables, id: number, url: string): Promise<void> {
  await sql`DELETE FROM ${tables.agent} WHERE id = ${id}`.execute(db);
  await sql`DELETE FROM ${tables.document} WHERE id = ${id}`.execute(db);
  await sql`DELETE FROM ${tables.card} WHERE id = ${id}`.execute(db);
  await sql`DELETE FROM ${tables.text} WHERE rowid = ${id}`.execute(db);
  const terms = sql`(SELECT term FROM ${tables.facet} WHERE id = ${id})`;
  // terms that no other agent has go too, or an agent with new values on each visit would fill the table
  await sql`
    DELETE FROM ${tables.term} AS term WHERE id IN ${terms}
      AND NOT EXISTS (SELECT 1 FROM ${tables.value} AS held WHERE held.term = term.id AND held.url <> ${url})`.execute(
    db,
  );
  await sql`DELETE FROM ${tables.value} WHERE term IN ${terms} AND url = ${url}`.execute(db);
  await sql`DELETE FROM ${tables.facet} WHERE id = ${id}`.execute(db);
  await sql`DELETE FROM ${tables.metric} WHERE url = ${url}`.execute(db);
  await sql`DELETE FROM ${tables.claim} WHERE url = ${url}`.execute(db);
}

interface NewAgent {
  /** The id that it had before, so that a search ranks the same agents. */
  readonly id: number | null;
  readonly version: number;
  readonly document: AgentDocument;
}

async function insertAgent(db: Db, tables: IndexTables, { id: before, version, document }: NewAgent) {
  const { url, metricIds, claims = [] } = document;
  const { base, properties = null, capabilities = null, compliance } = recordGroups(document);
  const { texts, card } = searchDocument(document);
  const sortName = card.name.toLowerCase().slice(0, 64);
  const counts = sql`${card.property_count}, ${card.publisher_count}`;
  await sql`DELETE FROM ${tables.dropped} WHERE url = ${url}`.execute(db);
  const inserted = await sql<{ id: number }>`
    INSERT INTO ${tables.agent} (id, url, name, property_count, publisher_count, factor)
    VALUES (${before}, ${url}, ${sortName}, ${counts}, ${lastingFactor(card)}) RETURNING id`.execute(db);
  const id = inserted.rows[0]?.id;
  await sql`
    INSERT INTO ${tables.document} (id, version, base, properties, capabilities, compliance)
    VALUES (${id}, ${version}, ${base}, ${properties}, ${capabilities}, ${compliance})`.execute(db);
  await sql`INSERT INTO ${tables.card} (id, card) VALUES (${id}, ${JSON.stringify(card)})`.execute(db);
  await sql`
    INSERT INTO ${tables.text} (rowid, ${sql.join(TEXT_NAMES.map((name) => sql.ref(name)))})
    VALUES (${id}, ${sql.join(TEXT_NAMES.map((name) => texts[name].join(' ')))})`.execute(db);
  // OR IGNORE: two texts may differ in lone surrogates only, which SQLite does not keep
  await insertInChunks(valuesOf(document), async (values) => {
    const terms = values.map((one) => sql`(${one.field}, ${exactText(one.value)})`);
    await sql`INSERT OR IGNORE INTO ${tables.term} (field, value) VALUES ${sql.join(terms)}`.execute(db);
    const rows = values.map((one) => sql`(${one.field}, ${exactText(one.value)}, ${one.counted})`);
    await sql`
      WITH given (field, value, counted) AS (VALUES ${sql.join(rows)})
      INSERT OR IGNORE INTO ${tables.facet} (id, counted, term)
      SELECT ${id}, given.counted, term.id
      FROM given CROSS JOIN ${tables.term} AS term ON term.field = given.field AND term.value = given.value`.execute(
      db,
    );
  });
  await sql`
    INSERT OR IGNORE INTO ${tables.value} (term, url, id)
    SELECT term, ${url}, id FROM ${tables.facet} WHERE id = ${id}`.execute(db);
  await insertInChunks(metricIds, (ids) =>
    sql`
      INSERT OR IGNORE INTO ${tables.metric} (url, lower_id)
      VALUES ${sql.join(ids.map((one) => sql`(${url}, ${exactText(one.toLowerCase())})`))}`.execute(db),
  );
  await insertInChunks(claims, (some) => {
    const rows = some.map(({ metricId, body, validUntil = NEVER }) => {
      const texts = [metricId, metricId.toLowerCase(), body, validUntil].map(exactText);
      return sql`(${sql.join(texts)}, ${url}, ${id})`;
    });
    return sql`
      INSERT OR IGNORE INTO ${tables.claim} (metric_id, lower_id, body, valid_until, url, id)
      VALUES ${sql.join(rows)}`.execute(db);
  });
}

/** The last day of an accreditation that does not expire. */
const NEVER = '9999-12-31';

interface ValueRow {
  readonly field: string;
  readonly value: string;
  /** 1 if facets count it. */
  readonly counted: 0 | 1;
}

/** The values of an agent that filters look for and facets count. */
function valuesOf(document: AgentDocument): readonly ValueRow[] {
  const rows: ValueRow[] = [{ field: 'host', value: new URL(document.url).hostname, counted: 0 }];
  for (const axes of AXIS_SETS)
    if (document.badges.some((badge) => axes.every((axis) => badge.axes.includes(axis))))
      rows.push({ field: 'badge', value: badgeValue(axes), counted: 0 });
  for (const [field, values] of Object.entries(parameterValues(document, labelsOf(document))))
    for (const value of values) rows.push({ field, value, counted: 1 });
  return rows;
}
