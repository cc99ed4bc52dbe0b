import { present } from '../../../../base/present.ts';
import type { FileKind } from '../../../../domain/declaration.ts';
import type { FileVersion, Graph } from '../../../../ports/graph.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';

/** Reads what a file said, by the index of its source; none of the texts is read. */
export function createVersionReader(
  store: SqlStore,
): (...asked: Parameters<Graph['versions']>) => SqlTask<readonly FileVersion[]> {
  const select = prepare(store, versionsOf);
  return function* (domain, file, limit) {
    return (yield* select.all({ domain, file, limit })).map((row) => ({
      ...{
        hash: row.value_hash,
        contentHash: row.content_hash,
        via: row.via,
        url: row.url,
        seenFrom: row.seen_from,
      },
      ...{ agents: row.agents, properties: row.properties },
      ...present({ manager: row.manager }),
    }));
  };
}

function versionsOf(param: Param<{ domain: string; file: FileKind; limit: number }>) {
  return sql
    .selectFrom('source')
    .innerJoin('declaration', 'declaration.source', 'source.id')
    .select(['declaration.value_hash', 'declaration.via', 'declaration.manager', 'declaration.url'])
    .select([
      'declaration.agents',
      'declaration.properties',
      'declaration.seen_from',
      'declaration.content_hash',
    ])
    .where('source.kind', '=', param('file'))
    .where('source.key', '=', param('domain'))
    .orderBy('declaration.id', 'desc')
    .limit(param('limit'));
}
