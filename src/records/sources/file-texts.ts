import { hash as digest } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { present } from '../../base/json.ts';
import type { DeclarationKind } from '../../domain/declared-facts.ts';
import type { Finding } from '../../domain/finding.ts';
import { KINDS_OF_VISIT } from '../../domain/source.ts';
import { RegistryError } from '../../errors.ts';
import type { BodyStore } from '../../ports/body-store.ts';
import type { FileTexts, LastReading } from '../../ports/file-texts.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { all, type Param, parsed, prepare, sql } from '../statements.ts';
import type { KeptBody } from '../visits/domain-visit.ts';
import { storedCapture } from './journey.ts';
import { sourceState } from './source-rows.ts';

const unpack = promisify(zstdDecompress);
/** No file is larger, whatever an operator agrees on; nothing that lies beside the records unpacks to more. */
const MOST = 256 * 2 ** 20;

/** Reads the texts of files, and where a domain's file was read from and how fresh it is, without reading what it says. */
export function createFileTexts(store: SqlStore, bodies?: BodyStore): FileTexts {
  const selectFile = prepare(store, sourceWithFile);
  const selectBody = prepare(store, bodyOfFile);
  const selectFindings = prepare(store, findingsOf);
  const selectLast = prepare(store, lastBody);
  const selectBytes = prepare(store, bodyByHash);
  const selectHash = prepare(store, bodyHash);
  const selectWithin = prepare(store, bodyByHashWithin);

  /** Bodies are verified by hash, because the store of bodies is not trusted. */
  async function textOf(kept: KeptBody | undefined, hash: string, most: number) {
    if (kept === undefined || kept.packing === null) return kept?.bytes;
    if (kept.packing === 'zstd') return unpackWithin(kept.bytes, most);
    if (bodies === undefined) throw notConfigured();
    const packed = await bodies.get(hash);
    const text = packed && (await unpackWithin(packed, most).catch(() => undefined));
    return text && digest('sha256', text) === hash ? text : undefined;
  }
  return {
    async body(hash) {
      const kept = await store.read(() => selectBytes.first({ hash }));
      return textOf(kept, hash, MOST);
    },
    async bodyWithin(hash, most) {
      const kept = await store.read(() => selectWithin.first({ hash, most }));
      return textOf(kept, hash, most);
    },
    hasBody: async (hash) => (await store.read(() => selectHash.first({ hash }))) !== undefined,
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
    captured: (after, limit, domain) =>
      store.read(function* () {
        const rows = yield* all(store, capturedTexts(after, limit, domain));
        return rows.map((row) => ({
          ...storedCapture(row),
          id: row.id,
          source: { kind: row.kind, key: row.key },
          bodyHash: row.hash,
        }));
      }),
    lastReading: ({ kind, key }) =>
      store.read(function* (): SqlTask<LastReading | undefined> {
        const row = yield* selectFile.first({ kind, key });
        if (row === undefined) return undefined;
        const { declaration, file_url: url } = row;
        const source = sourceState(row);
        const own = parsed<readonly Finding[]>(row.findings);
        if (own !== undefined || declaration === null || url === null) {
          const last = yield* selectLast.first({ source: row.id });
          const body = last?.hash ? { hash: last.hash, bytes: last.bytes ?? Infinity } : null;
          return { source, isLive: false, findings: own ?? [], ...present({ url: last?.url ?? null, body }) };
        }
        const kept = yield* selectFindings.first({ declaration });
        const found = yield* selectBody.first({ declaration, url });
        const body = found ? { hash: found.hash, bytes: found.bytes ?? Infinity } : null;
        const findings = parsed<readonly Finding[]>(kept?.findings ?? null) ?? [];
        return { source, isLive: true, findings, url, ...present({ body }) };
      }),
  };
}

function unpackWithin(packed: Uint8Array, most: number): Promise<Uint8Array | undefined> {
  return unpack(packed, { maxOutputLength: most }).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw fault;
  });
}

function notConfigured(): RegistryError {
  return new RegistryError('store_unavailable', 'the text of this file is stored outside of the records', {
    hint: 'set REGISTRY_BODIES to the address that the bodies were moved to',
  });
}

function sourceWithFile(param: Param<{ kind: DeclarationKind; key: string }>) {
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

function findingsOf(param: Param<{ declaration: number }>) {
  return sql
    .selectFrom('declaration')
    .innerJoin('declared_value', 'declared_value.hash', 'declaration.value_hash')
    .select('declared_value.findings')
    .where('declaration.id', '=', param('declaration'));
}

/** The last text that came as the file; a manager is found by an ads.txt, which is on the way to one. */
function lastBody(param: Param<{ source: number }>) {
  return sql
    .selectFrom('capture')
    .select((row) => row.fn.coalesce('final_url', 'requested_url').as('url'))
    .select(['body_hash as hash', 'bytes'])
    .where('source', '=', param('source'))
    .where('status', '=', 200)
    .where('body_hash', 'is not', null)
    .where('requested_url', 'not like', '%/ads.txt')
    .orderBy((row) => row.fn.coalesce('last_seen_at', 'at'), 'desc')
    .orderBy('id', 'desc')
    .limit(1);
}

function capturedTexts(after: number, limit: number, domain: string | undefined) {
  const every = sql
    .selectFrom('capture')
    .innerJoin('source', 'source.id', 'capture.source')
    .selectAll('capture')
    .select((row) => ['source.kind', 'source.key', row.ref('capture.body_hash').$castTo<string>().as('hash')])
    .where('capture.id', '>', after)
    .where('capture.body_hash', 'is not', null)
    .orderBy('capture.id')
    .limit(limit);
  if (domain === undefined) return every;
  return every.where('source.kind', 'in', KINDS_OF_VISIT.domain).where('source.key', '=', domain);
}

function bodyByHash(param: Param<{ hash: string }>) {
  return sql.selectFrom('body').select(['bytes', 'packing']).where('hash', '=', param('hash'));
}

function bodyHash(param: Param<{ hash: string }>) {
  return sql.selectFrom('body').select('hash').where('hash', '=', param('hash'));
}

function bodyByHashWithin(param: Param<{ hash: string; most: number }>) {
  return bodyByHash(param).where((row) =>
    row(row.fn<number>('octet_length', ['bytes']), '<=', param('most')),
  );
}
