import type { Graph, PropertiesRead } from '../../ports/graph.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import { idName, listedProperty } from '../visits/property-rows.ts';

const TEXTS = ['property_type', 'property_id', 'name', 'entry', 'identifiers', 'tags'] as const;

/**
 * Reads the first properties of a publisher that fit. The engine tells their sizes and reads none of the long texts for
 * it: one property may be as long as a file, and anybody asks.
 */
export function createPropertiesReader(
  store: SqlStore,
): (...asked: Parameters<Graph['properties']>) => SqlTask<PropertiesRead> {
  const selectSizes = prepare(store, sizesInOrder);
  const selectRows = prepare(store, rowsUpTo);
  const selectNamedSizes = prepare(store, namedSizes);
  const selectNamedRows = prepare(store, namedRows);
  return function* (publisher, { count, bytes: room, ids }) {
    const names = ids?.map(idName);
    const asked = { publisher, limit: count + 1 };
    const sizes = yield* names ? selectNamedSizes.all({ ...asked, names }) : selectSizes.all(asked);
    let [bytes, last] = [0, undefined as number | undefined];
    for (const { id, ...lengths } of sizes.slice(0, count)) {
      const size = Object.values(lengths).reduce<number>((sum, length) => sum + (length ?? 0), 0);
      if (bytes + size > room) break;
      bytes += size;
      last = id;
    }
    if (last === undefined) return { properties: [], bytes, isCut: sizes.length > 0 };
    const upTo = { publisher, last };
    const rows = yield* names ? selectNamedRows.all({ ...upTo, names }) : selectRows.all(upTo);
    return { properties: rows.map(listedProperty), bytes, isCut: rows.length < sizes.length };
  };
}

function sizesInOrder(param: Param<{ publisher: string; limit: number }>) {
  return sql
    .selectFrom('property')
    .select(['id', ...TEXTS.map((column) => sql.fn<number | null>('octet_length', [column]).as(column))])
    .where('publisher', '=', param('publisher'))
    .orderBy('id')
    .limit(param('limit'));
}

function rowsUpTo(param: Param<{ publisher: string; last: number }>) {
  return sql
    .selectFrom('property')
    .selectAll()
    .where('publisher', '=', param('publisher'))
    .where('id', '<=', param('last'))
    .orderBy('id');
}

interface Names {
  readonly publisher: string;
  readonly names: readonly string[];
}

function namedSizes(param: Param<Names & { limit: number }>) {
  return sizesInOrder(param).where('id', 'in', propertiesNamed(param));
}

function namedRows(param: Param<Names & { last: number }>) {
  return rowsUpTo(param).where('id', 'in', propertiesNamed(param));
}

function propertiesNamed(param: Param<Names>) {
  return sql
    .selectFrom('property_name')
    .select('property')
    .where('name', 'in', param.list('names'))
    .where('publisher', '=', param('publisher'));
}

/** Publishers that list an identifier, or an id, by its name. */
export function publishersListing(param: Param<{ name: string; limit: number }>) {
  return sql
    .selectFrom('property_name')
    .select('publisher')
    .distinct()
    .where('name', '=', param('name'))
    .orderBy('publisher')
    .limit(param('limit'));
}

/** Those of these names that any publisher lists. */
export function namesListed(param: Param<{ names: readonly string[] }>) {
  return sql
    .selectFrom(param.listed('names'))
    .select('listed.value as name')
    .where((row) =>
      row.exists(
        row.selectFrom('property_name').select('name').whereRef('property_name.name', '=', 'listed.value'),
      ),
    );
}
