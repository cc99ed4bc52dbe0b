import {
  FACET_PARAMETERS,
  type FacetCount,
  type FacetParameter,
  type FoundBlock,
} from '../../domain/agent-search.ts';
import type { SqliteDatabase } from '../../records/sqlite/sqlite-database.ts';
import type { FoundRow } from './rank-found.ts';
import { tablesOf } from './tables.ts';

/** Values of one facet that are told. */
const MAX_VALUES = 20;

/** The values that these agents have, by parameter, and how many of them have each. */
export function countFacets(
  database: SqliteDatabase,
  generation: number,
  rows: readonly FoundRow[],
): Required<Pick<FoundBlock, 'facets' | 'counted'>> {
  const counts = countIds(rows);
  const names = Map.groupBy(namesOf(database, generation, [...counts.keys()]), ([, parameter]) => parameter);
  const facets: Record<string, readonly FacetCount[]> = {};
  for (const name of FACET_PARAMETERS) {
    const values = names.get(name)?.map(([id, , value]) => ({ value, count: counts.get(id) ?? 0 }));
    if (values) facets[name] = commonest(values);
  }
  return { facets, counted: rows.length };
}

/** Those that are equally common in the order of their characters, which is not that of JavaScript's UTF-16. */
function commonest(values: readonly FacetCount[]): readonly FacetCount[] {
  const least = values.map(({ count }) => count).sort((a, b) => b - a)[MAX_VALUES - 1] ?? 0;
  const bytes = (text: string) => Buffer.from(text);
  return values
    .filter(({ count }) => count >= least)
    .sort((a, b) => b.count - a.count || bytes(a.value).compare(bytes(b.value)))
    .slice(0, MAX_VALUES);
}

const ZERO = 0x30;

/** Of each id in the lists that `writeDocuments` wrote. Their digits are read in place: a thousand agents have some ten thousand. */
function countIds(rows: readonly FoundRow[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const [, , , list] of rows) {
    let id = 0;
    for (let at = 1; at < list.length; at += 1) {
      const digit = list.charCodeAt(at) - ZERO;
      if (digit >= 0 && digit <= 9) id = id * 10 + digit;
      else {
        // a comma, or the end of a list; that of an empty one is no id
        if (id > 0) counts.set(id, (counts.get(id) ?? 0) + 1);
        id = 0;
      }
    }
  }
  return counts;
}

/** From what is counted with each write: it costs the same however many agents there are. */
export function facetCounts(
  database: SqliteDatabase,
  generation: number,
  name: FacetParameter,
  most: number,
): readonly FacetCount[] {
  const sql = `SELECT value, agents AS count FROM ${tablesOf(generation).facet}
    WHERE parameter = ? AND agents > 0 ORDER BY agents DESC, value LIMIT +?`;
  const rows = database.statement(sql).all(name, most);
  return (rows as unknown as readonly FacetCount[]).map(({ value, count }) => ({ value, count }));
}

type FacetName = readonly [id: number, parameter: string, value: string];

/** One statement for thousands of values, and one text: to make a value of JavaScript of each takes longer than all else. */
function namesOf(database: SqliteDatabase, generation: number, ids: readonly number[]): readonly FacetName[] {
  const sql = `SELECT json_group_array(json_array(f.id, f.parameter, f.value)) AS names FROM json_each(?) AS wanted
    CROSS JOIN ${tablesOf(generation).facet} f ON f.id = wanted.value`;
  const row = database.guard(() => database.statement(sql).get(JSON.stringify(ids)));
  return JSON.parse((row as { names: string }).names) as readonly FacetName[];
}
