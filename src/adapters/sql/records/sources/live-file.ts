import { present } from '../../../../base/present.ts';
import type { FileKind } from '../../../../domain/declaration.ts';
import type { SourceStore } from '../../../../ports/source-store.ts';
import type { SqlStore } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';
import { sourceState } from './source-rows.ts';

/** Reads where a domain's file was read from and how fresh it is, without reading what it says. */
export function createLiveFiles(store: SqlStore): Pick<SourceStore, 'liveFile'> {
  const selectFile = prepare(store, sourceWithFile);
  const selectBody = prepare(store, bodyOfFile);
  return {
    liveFile: ({ kind, key }) =>
      store.read(function* () {
        const row = yield* selectFile.first({ kind, key });
        if (row === undefined) return undefined;
        const { file_url: url, declaration } = row;
        const found =
          declaration === null || url === null ? undefined : yield* selectBody.first({ declaration, url });
        const body = found && { hash: found.hash, bytes: found.bytes ?? Number.POSITIVE_INFINITY };
        return { source: sourceState(row), ...present({ url, body }) };
      }),
  };
}

function sourceWithFile(param: Param<{ kind: FileKind; key: string }>) {
  return sql
    .selectFrom('source')
    .leftJoin('declaration', 'declaration.id', 'source.declaration')
    .selectAll('source')
    .select('declaration.url as file_url')
    .where('source.kind', '=', param('kind'))
    .where('source.key', '=', param('key'));
}

/** The bytes at that URL of which the declaration was read; not those of a pointer on the way. */
function bodyOfFile(param: Param<{ declaration: number; url: string }>) {
  return sql
    .selectFrom('declaration')
    .innerJoin('declaration_body', 'declaration_body.declaration', 'declaration.id')
    .innerJoin('capture', (join) =>
      join
        .onRef('capture.source', '=', 'declaration.source')
        .onRef('capture.body_hash', '=', 'declaration_body.hash'),
    )
    .select(['declaration_body.hash', 'capture.bytes'])
    .where('declaration.id', '=', param('declaration'))
    .where((row) => row(row.fn.coalesce('capture.final_url', 'capture.requested_url'), '=', param('url')))
    .orderBy('capture.id', 'desc')
    .limit(1);
}
