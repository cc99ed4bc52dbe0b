import type { Graph } from '../../../../ports/graph.ts';
import type { SqlStore } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';
import { listedProperty } from '../visits/property-rows.ts';

/** The properties of a publisher, as many as fit. */
export function createPropertiesOf(store: SqlStore): Graph['properties'] {
  const selectProperties = prepare(store, propertiesInOrder);
  const selectSizes = prepare(store, propertySizes);
  return (publisher, limit, maxBytes = Infinity) =>
    store.read(function* () {
      const sizes = maxBytes === Infinity ? [] : yield* selectSizes.all({ publisher, limit });
      let bytes = 0;
      const end = sizes.findIndex(({ identifiers, tags }) => {
        bytes += identifiers + tags;
        return bytes > maxBytes;
      });
      const fitting = end < 0 ? limit : end;
      const rows = fitting === 0 ? [] : yield* selectProperties.all({ publisher, limit: fitting });
      return rows.map(listedProperty);
    });
}

/** Told by the engine, which reads none of the texts for it. */
function propertySizes(param: Param<{ publisher: string; limit: number }>) {
  return sql
    .selectFrom('property')
    .select(({ fn }) => [
      fn<number>('octet_length', ['identifiers']).as('identifiers'),
      fn<number>('octet_length', ['tags']).as('tags'),
    ])
    .where('publisher', '=', param('publisher'))
    .orderBy('id')
    .limit(param('limit'));
}

function propertiesInOrder(param: Param<{ publisher: string; limit: number }>) {
  return sql
    .selectFrom('property')
    .selectAll()
    .where('publisher', '=', param('publisher'))
    .orderBy('id')
    .limit(param('limit'));
}
