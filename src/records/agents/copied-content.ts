import { sql as rawSql } from 'kysely';
import { present } from '../../base/json.ts';
import type { AuthorisationLimits } from '../../domain/declaration.ts';
import type { Coverage } from '../../domain/declared-facts.ts';
import type { CopiedContent, CopiedEntry, Copies } from '../../ports/authorisations.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, parsed, prepare, sql } from '../statements.ts';
import { listedProperty } from '../visits/property-rows.ts';

/** Of one piece, at most: one row that is longer is a piece by itself. */
const PIECE = { bytes: 256 * 1024, rows: 1_000 };
/** What stands around the long texts of a row. */
const AROUND = 100;

/** What the live rows of publishers say: of several whole, of one in pieces. */
export function createContentReader(store: SqlStore) {
  const selectProperties = prepare(store, propertiesOf);
  const selectEntries = prepare(store, entriesOf);
  const selectPropertySizes = prepare(store, propertySizes);
  const selectEntrySizes = prepare(store, entrySizes);
  const selectSomeProperties = prepare(store, someProperties);
  const selectSomeEntries = prepare(store, someEntries);
  return {
    *contentOfEach(publishers: readonly string[]): SqlTask<ReadonlyMap<string, CopiedContent>> {
      const properties = Map.groupBy(yield* selectProperties.all({ publishers }), (row) => row.publisher);
      const entries = Map.groupBy(yield* selectEntries.all({ publishers }), (row) => row.publisher);
      const contents = publishers.map((key) => {
        const content = {
          properties: (properties.get(key) ?? []).map(listedProperty),
          entries: (entries.get(key) ?? []).map(copiedEntry),
        };
        return [key, content] as const;
      });
      return new Map(contents);
    },
    /** The ids of all rows are read first: neither engine has an index by which a page of them would be found. */
    async *contentOf(domain: string): ReturnType<Copies['contentOf']> {
      for (const ids of piecesOf(await store.read(() => selectEntrySizes.all({ domain })))) {
        const rows = await store.read(() => selectSomeEntries.all({ ids }));
        yield { properties: [], entries: rows.map(copiedEntry) };
      }
      for (const ids of piecesOf(await store.read(() => selectPropertySizes.all({ domain })))) {
        const rows = await store.read(() => selectSomeProperties.all({ ids }));
        yield { properties: rows.map(listedProperty), entries: [] };
      }
    },
  };
}

/** The ids of rows, in the order of the rows and in pieces of a few. */
function piecesOf(
  rows: readonly { readonly id: number; readonly bytes: number }[],
): readonly (readonly string[])[] {
  const pieces: string[][] = [];
  let [piece, room] = [[] as string[], 0];
  for (const { id, bytes } of rows) {
    if (room < bytes || piece.length === PIECE.rows) {
      [piece, room] = [[], PIECE.bytes];
      pieces.push(piece);
    }
    piece.push(String(id));
    room -= bytes;
  }
  return pieces;
}

function copiedEntry(row: {
  readonly agent: string;
  readonly entry: string;
  readonly covers: string | null;
  readonly limits: string | null;
}): CopiedEntry {
  const { agent, entry } = row;
  const said = { covers: parsed<Coverage>(row.covers), limits: parsed<AuthorisationLimits>(row.limits) };
  return { agent, entry, ...present(said) };
}

function propertiesOf(param: Param<{ publishers: readonly string[] }>) {
  return sql
    .selectFrom('property')
    .selectAll()
    .where('publisher', 'in', param.list('publishers'))
    .orderBy('publisher')
    .orderBy('id');
}

const ENTRY = ['publisher', 'agent', 'entry', 'covers', 'limits'] as const;

function entriesOf(param: Param<{ publishers: readonly string[] }>) {
  return sql
    .selectFrom('authorisation')
    .select(ENTRY)
    .where('publisher', 'in', param.list('publishers'))
    .where('seen_until', 'is', null)
    .orderBy('publisher')
    .orderBy('id');
}

function propertySizes(param: Param<{ domain: string }>) {
  return sql
    .selectFrom('property')
    .select(['id', bytesOf(['identifiers', 'tags']).as('bytes')])
    .where('publisher', '=', param('domain'))
    .orderBy('id');
}

function entrySizes(param: Param<{ domain: string }>) {
  return sql
    .selectFrom('authorisation')
    .select(['id', bytesOf(['covers', 'limits']).as('bytes')])
    .where('publisher', '=', param('domain'))
    .where('seen_until', 'is', null)
    .orderBy('id');
}

function bytesOf(columns: readonly [string, string]) {
  const [a, b] = columns.map((column) => rawSql`coalesce(octet_length(${rawSql.ref(column)}), 0)`);
  return rawSql<number>`${a} + ${b} + ${rawSql.lit(AROUND)}`;
}

function someProperties(param: Param<{ ids: readonly string[] }>) {
  return sql.selectFrom('property').selectAll().where('id', 'in', idsOf(param)).orderBy('id');
}

function someEntries(param: Param<{ ids: readonly string[] }>) {
  return sql.selectFrom('authorisation').select(ENTRY).where('id', 'in', idsOf(param)).orderBy('id');
}

function idsOf(param: Param<{ ids: readonly string[] }>) {
  return sql
    .selectFrom(param.listed('ids'))
    .select((row) => row.cast<number>('listed.value', 'bigint').as('id'));
}
