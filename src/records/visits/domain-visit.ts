import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import type { Answered, Capture, Validator } from '../../domain/capture.ts';
import type { DeclarationKind } from '../../domain/declared-facts.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { DomainVisit, FileVisit } from '../../ports/visit-commits.ts';
import { ascending } from '../locks.ts';
import type { CaptureTable } from '../schema.ts';
import { addArd } from '../sources/known-sources.ts';
import { type HeldSource, heldSources, isSuccess, writeVisited } from '../sources/source-rows.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { jsonOrNull, type Param, prepare, sql } from '../statements.ts';
import type { Contents, KeptBody, VisitEffects } from './batch-effects.ts';
import { createDeclarationWriter } from './declaration-rows.ts';
import { createFactsWriter, NO_FACTS } from './declared-rows.ts';

/** Writes one visit of a domain; false, with nothing written, when a lease was lost. */
type DomainVisitWriter = (
  visit: DomainVisit,
  effects: VisitEffects,
  packed: PackedBodies,
) => SqlTask<boolean>;

/** The large bodies of a visit, by their hashes. */
export type PackedBodies = ReadonlyMap<string, KeptBody>;

/** What the live declaration of a source is after the visit. */
type AfterFile = Pick<HeldSource, 'declaration' | 'content_hash' | 'rederive_at' | 'findings'>;

/** Inside the caller's transaction. */
export function createDomainVisitWriter(store: SqlStore): DomainVisitWriter {
  const writeCaptures = createCaptureWriter(store);
  const declarations = createDeclarationWriter(store);
  const writeFacts = createFactsWriter(store);

  function* writeDeclaration(
    file: FileVisit,
    held: HeldSource,
    at: number,
    effects: VisitEffects,
  ): SqlTask<AfterFile> {
    const { declaration, findings } = file;
    if (declaration === undefined && file.ends !== true)
      return { ...held, findings: findingsAfter(file, held) };
    const hadRows = held.declaration !== null;
    const declarer = { domain: file.lease.key, file: file.lease.kind as DeclarationKind };
    if (held.declaration !== null) {
      const isLast = declaration === undefined && declarer.file === 'adagents';
      yield* declarations.end(held.declaration, at, isLast);
    }
    yield* writeFacts(declarer, declaration?.facts ?? NO_FACTS, { at, hadRows, effects });
    if (declaration === undefined)
      return {
        declaration: null,
        content_hash: null,
        rederive_at: null,
        findings: findingsAfter(file, held),
      };
    // whoever has agents may say in ard.json that there are more
    if (declarer.file === 'brand' && declaration.facts.mentions.length > 0)
      yield* call((db) => addArd(db, declarer.domain, `${declarer.domain} brand`, { at }));
    const read = { ...declarer, declaration, findings, bodies: bodiesOf(file), at };
    return {
      declaration: yield* declarations.begin(held.id, read, effects.contents),
      content_hash: declaration.contentHash,
      rederive_at: declaration.facts.rederiveAt ?? null,
      findings: null,
    };
  }
  function* writeFile(
    file: FileVisit,
    held: HeldSource,
    {
      at,
      packed,
      effects,
    }: { readonly at: number; readonly packed: PackedBodies; readonly effects: VisitEffects },
  ): SqlTask<void> {
    if (leavesCaptures(held, file)) {
      keepBodies(file, packed, effects.contents);
      yield* writeCaptures(held, file);
    }
    const row = {
      id: held.id,
      ...(yield* writeDeclaration(file, held, at, effects)),
      next_visit_at: file.nextVisitAt,
      last_visit_at: at,
      last_success_at: isSuccess(file.outcome) ? at : held.last_success_at,
      last_outcome: file.outcome,
      last_error: jsonOrNull(file.error),
      failures: file.failures,
      validators: JSON.stringify(file.validators),
      absent_since: file.absentSince ?? null,
      absent_visits: file.absentVisits,
      memory: file.memory === undefined ? held.memory : JSON.stringify(file.memory),
    };
    yield* call((db) => writeVisited(db, row));
  }
  return function* (visit, effects, packed) {
    const { at } = visit;
    const files = visit.files.toSorted((a, b) => ascending(a.lease.kind, b.lease.kind));
    const leases = files.map((file) => file.lease);
    const held = yield* call((db) => heldSources(db, leases));
    if (held.includes(undefined)) return false;
    for (const [index, file] of files.entries())
      yield* writeFile(file, held[index] as HeldSource, { at, packed, effects });
    return true;
  };
}

/** Findings are those of the last file that was read; a visit that read none leaves them. */
function findingsAfter(file: FileVisit, held: HeldSource): string | null {
  const readOne = file.findings.length > 0 || file.outcome === 'invalid' || file.outcome === 'absent';
  return readOne ? JSON.stringify(file.findings) : held.findings;
}

/** The bytes behind a declaration: those just fetched, and those that answered 304. */
function bodiesOf(file: FileVisit): ReadonlySet<string> {
  const fetched = file.captures.map((capture) =>
    capture.ok && capture.status === 200 ? capture.bodyHash : '',
  );
  const hashes = new Set([...fetched, ...file.validators.map((validator) => validator.bodyHash)]);
  hashes.delete('');
  return hashes;
}

/** Only the body of a 200 is kept, once per hash: an error page explains nothing that its status does not. */
function keepBodies({ captures }: FileVisit, packed: PackedBodies, { bodies }: Contents): void {
  for (const capture of captures)
    if (capture.ok && capture.status === 200 && capture.bodyHash !== '') {
      const { bodyHash, body } = capture;
      bodies.set(bodyHash, packed.get(bodyHash) ?? { bytes: body, packing: null });
    }
}

/** A file of 20 MiB would take the store half a second, and everybody else with it: what is large is packed before. */
const PACKED_FROM_BYTES = 256 * 1024;
const pack = promisify(zstdCompress);

/** Commits a visit once what is large of it was packed, on another thread; at once when nothing is. */
export function createDomainCommit<Result>(
  add: (visit: DomainVisit, packed: PackedBodies) => Promise<Result>,
): (visit: DomainVisit) => Promise<Result> {
  return (visit) => {
    const captures = visit.files.flatMap((file) => file.captures).filter((capture) => capture.ok);
    const large = captures.filter(({ status, body }) => status === 200 && body.length >= PACKED_FROM_BYTES);
    if (large.length === 0) return add(visit, NOTHING_PACKED);
    return packEach(large).then((packed) => add(visit, packed));
  };
}

const NOTHING_PACKED: PackedBodies = new Map();

async function packEach(large: readonly Answered[]): Promise<PackedBodies> {
  const packed = new Map<string, KeptBody>();
  for (const { bodyHash, body } of large)
    if (!packed.has(bodyHash)) packed.set(bodyHash, { bytes: await pack(body), packing: 'zstd' });
  return packed;
}

interface CaptureRow extends Omit<CaptureTable, 'id' | 'times' | 'last_seen_at'> {
  readonly last_seen_at: number;
}

/** What the next answer must be to extend the last one of its URL. */
interface SameRow extends Omit<CaptureRow, 'at' | 'bytes'> {
  /** Of the body that a 304 stands for. */
  readonly validated: string | null;
}

/**
 * Keeps what the network said at a visit. An answer that says the same as the last one from its URL extends that row:
 * the same way there, the same status, and for a 200 the same body; or a 304 to it; or the same kind of failure.
 * Headers live on as the source's validators and schedule. Of pages that are not the file only the status is kept. Where no
 * file was ever read and nothing is there, the source says so itself, and nothing else is kept.
 */
type CaptureWriter = (held: HeldSource, file: FileVisit) => SqlTask<void>;

/** Nothing is there, or nobody who answers. A refusal is kept: its site may want to know why. */
const NOTHING: ReadonlySet<Outcome> = new Set(['absent', 'unreachable']);

/** Whether a visit of a file leaves captures and the bodies that they name. */
function leavesCaptures({ last_success_at: lastSuccessAt }: HeldSource, file: FileVisit): boolean {
  return lastSuccessAt !== null || !NOTHING.has(file.outcome);
}

/** Inside the caller's transaction; for a visit that leaves captures. */
function createCaptureWriter(store: SqlStore): CaptureWriter {
  const insert = prepare(store, newCapture, {
    kinds: {
      source: 'number',
      at: 'number',
      status: 'number',
      bytes: 'number',
      duration_ms: 'number',
      last_seen_at: 'number',
    },
  });
  const extend = prepare(store, extendedCapture, {
    kinds: { source: 'number', status: 'number', duration_ms: 'number', last_seen_at: 'number' },
    apart: ['source', 'requested_url'],
  });

  return function* ({ id, last_visit_at: lastVisitAt }, file) {
    const { captures, validators } = file;
    // a shared file was perhaps fetched for another domain before: what a visit gets later is seen later
    let seenAt = 0;
    const rows = captures.map((capture) => {
      seenAt = Math.max(capture.at, seenAt + 1);
      return rowOf(id, capture, seenAt);
    });
    const known = lastVisitAt === null ? [] : rows.map((row) => sameAs(row, validators));
    const extended = yield* extend.runEach(known);
    yield* insert.runEach(rows.filter((_, at) => extended[at] !== 1));
  };
}

function rowOf(source: number, capture: Capture, seenAt: number): CaptureRow {
  const isFile = capture.ok && capture.status === 200 && capture.bodyHash !== '';
  return {
    source,
    at: capture.at,
    requested_url: capture.requestedUrl,
    final_url: capture.finalUrl === capture.requestedUrl ? null : capture.finalUrl,
    trail: jsonOrNull(capture.trail.length === 0 ? undefined : capture.trail),
    status: capture.ok ? capture.status : null,
    body_hash: isFile ? capture.bodyHash : null,
    bytes: capture.ok ? capture.body.byteLength : null,
    duration_ms: Math.round(capture.durationMs),
    error_code: capture.ok ? null : capture.failure.code,
    error_detail: capture.ok ? null : capture.failure.detail,
    last_seen_at: seenAt,
  };
}

function sameAs({ at: _at, bytes: _bytes, ...row }: CaptureRow, validators: readonly Validator[]): SameRow {
  const validator = row.status === 304 && validators.find(({ url }) => url === row.requested_url);
  return { ...row, validated: validator ? validator.bodyHash : null };
}

function newCapture(param: Param<CaptureRow>) {
  return sql.insertInto('capture').values({
    source: param('source'),
    at: param('at'),
    requested_url: param('requested_url'),
    final_url: param('final_url'),
    trail: param('trail'),
    status: param('status'),
    body_hash: param('body_hash'),
    bytes: param('bytes'),
    duration_ms: param('duration_ms'),
    error_code: param('error_code'),
    error_detail: param('error_detail'),
    last_seen_at: param('last_seen_at'),
  });
}

function extendedCapture(param: Param<SameRow>) {
  const latest = sql
    .selectFrom('capture')
    .select('id')
    .where('source', '=', param('source'))
    .where('requested_url', '=', param('requested_url'))
    .orderBy('id', 'desc')
    .limit(1);
  return sql
    .updateTable('capture')
    .set((row) => ({
      last_seen_at: param('last_seen_at'),
      times: row('times', '+', 1),
      duration_ms: param('duration_ms'),
      error_detail: param('error_detail'),
    }))
    .where('id', '=', latest)
    .where('final_url', 'is not distinct from', param('final_url'))
    .where('trail', 'is not distinct from', param('trail'))
    .where('error_code', 'is not distinct from', param('error_code'))
    .where((row) =>
      row.or([
        row.and([
          row('status', 'is not distinct from', param('status')),
          row('body_hash', 'is not distinct from', param('body_hash')),
        ]),
        row.and([row('status', '=', 200), row('body_hash', '=', param('validated'))]),
      ]),
    );
}
