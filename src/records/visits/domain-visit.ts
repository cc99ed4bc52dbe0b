import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { type Selectable, sql } from 'kysely';
import type { Capture, Validator } from '../../domain/capture.ts';
import type { DeclarationKind } from '../../domain/declared-facts.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { DomainVisit, FileVisit } from '../../domain/visit.ts';
import { type Db, insertInChunks, jsonOrNull } from '../database.ts';
import { ascending, sortedByKey } from '../locks.ts';
import { addArd } from '../sources/known-sources.ts';
import type { CaptureTable, Tables } from '../tables.ts';
import { beginDeclarations, endDeclarations, PENDING, type ReadDeclaration } from './declaration-rows.ts';
import { NO_FACTS, writeFacts } from './declared-rows.ts';
import { knownTargets, type RunStep } from './found.ts';
import { type HeldSource, heldSources, writeResult } from './held-sources.ts';
import type { FactsOptions, VisitChanges } from './visit-changes.ts';

/** A file of the visit with its source. */
interface VisitedFile {
  readonly file: FileVisit;
  readonly kind: DeclarationKind;
  readonly source: HeldSource;
}

/**
 * Writes the rows of a visited domain, and returns what else the visit changes. If a lease was lost meanwhile, nothing is
 * written, and undefined is returned.
 */
export async function commitDomainVisit(
  db: Db,
  visit: DomainVisit,
  packed: PackedBodies,
): Promise<VisitChanges | undefined> {
  const inOrder = visit.files.toSorted((a, b) => ascending(a.lease.kind, b.lease.kind));
  const leases = inOrder.map(({ lease }) => lease);
  const sources = await heldSources(db, leases);
  if (sources === undefined) return undefined;
  const files = inOrder.map(
    (file, at): VisitedFile => ({
      file,
      kind: file.lease.kind as DeclarationKind,
      source: sources[at] as HeldSource,
    }),
  );
  const captured = files.filter(leavesCaptures);
  const newBodies = await writeCaptures(db, captured);
  await writeBodies(db, captured, newBodies, packed);
  const { at, trace } = visit;
  const found = visit.found.map((one) => ({ ...one, at, trace }));
  const changes = await writeDeclarations(db, files, visit);
  return { at, trace, found, ...changes, step: await stepOf(db, files, visit) };
}

/** The visit as a step of its run; undefined for a visit outside of runs. */
async function stepOf(
  db: Db,
  files: readonly VisitedFile[],
  { domain, at, found, run }: DomainVisit,
): Promise<RunStep | undefined> {
  if (run === undefined) return undefined;
  const unchanged = files.filter(({ file }) => file.outcome === 'unchanged').map(({ kind }) => kind);
  const targets = [...found, ...(await knownTargets(db, domain, unchanged, run))];
  return { run, kind: 'domain', key: domain, at, targets };
}

/** Writes what the files declare now, and the results of their visits. Returns what this changes of agents. */
async function writeDeclarations(
  db: Db,
  files: readonly VisitedFile[],
  { domain, at, trace }: DomainVisit,
): Promise<Pick<VisitChanges, 'agents' | 'marks'>> {
  const changes: FactsOptions['changes'] = { at, trace, agents: new Map(), marks: [] };
  const changed = files.filter(({ file }) => file.declaration !== undefined || file.ends === true);
  const ended = changed.map(({ source }) => source.declaration).filter((id) => id !== null);
  await endDeclarations(db, ended, at);
  const read: ReadDeclaration[] = [];
  for (const { file, kind, source } of changed) {
    const { declaration, findings } = file;
    const facts = declaration?.facts ?? NO_FACTS;
    const hadRows = source.declaration !== null;
    await writeFacts(db, { domain, file: kind }, facts, { at, hadRows, changes });
    // a domain with agents may list more of them in its ard.json
    if (kind === 'brand' && facts.mentions.length > 0) await addArd(db, domain, `${domain} brand`, { at });
    if (declaration !== undefined)
      read.push({ source: source.id, declaration, findings, bodies: bodiesOf(file) });
  }
  const begun = await beginDeclarations(db, read, { domain, at });
  const adagents = changed.find(({ kind }) => kind === 'adagents')?.source;
  // of files the edge log mentions only those of publishers
  if (adagents !== undefined) {
    const id = begun.get(adagents.id);
    if (id !== undefined) changes.marks.push({ event: PENDING.fileFound, id });
    else if (adagents.declaration !== null)
      changes.marks.push({ event: PENDING.fileGone, id: adagents.declaration });
  }
  for (const { file, source } of files)
    await writeResult(db, source, { ...file, at }, columnsAfter(file, source, begun.get(source.id)));
  return changes;
}

/** The columns of a file's source after a visit; `declaration` is the version that it began. */
function columnsAfter(file: FileVisit, source: HeldSource, declaration: number | undefined) {
  const { validators, absentSince = null, absentVisits, memory } = file;
  return {
    validators: JSON.stringify(validators),
    absent_since: absentSince,
    absent_visits: absentVisits,
    memory: memory === undefined ? source.memory : JSON.stringify(memory),
    ...declarationAfter(file, source, declaration),
  };
}

function declarationAfter(file: FileVisit, source: HeldSource, declaration: number | undefined) {
  if (declaration !== undefined && file.declaration !== undefined) {
    const { contentHash, facts } = file.declaration;
    const rederive_at = facts.rederiveAt ?? null;
    return { declaration, content_hash: contentHash, rederive_at, findings: null };
  }
  const findings = findingsAfter(file, source);
  return file.ends ? { declaration: null, content_hash: null, rederive_at: null, findings } : { findings };
}

/** Findings are those of the last file that was read; a visit that read none keeps them. */
function findingsAfter(file: FileVisit, source: HeldSource): string | null {
  const readOne = file.findings.length > 0 || file.outcome === 'invalid' || file.outcome === 'absent';
  return readOne ? JSON.stringify(file.findings) : source.findings;
}

/** The bytes behind a declaration: those just fetched, and those that answered 304. */
function bodiesOf(file: FileVisit): ReadonlySet<string> {
  const fetched = file.captures.map((capture) => (isBody(capture) ? capture.bodyHash : ''));
  const hashes = new Set([...fetched, ...file.validators.map((validator) => validator.bodyHash)]);
  hashes.delete('');
  return hashes;
}

/** Nothing is there, or no server that answers. A refusal is kept: its site may want to know why. */
const NOTHING: ReadonlySet<Outcome> = new Set(['absent', 'unreachable']);

/** Captures of a source that never had a file and has none now are not kept; its own row has the outcome. */
function leavesCaptures({ source, file }: VisitedFile): boolean {
  return source.last_success_at !== null || !NOTHING.has(file.outcome);
}

export type KeptBody = Pick<Tables['body'], 'bytes' | 'packing'>;

/** The bodies of a visit that are stored packed, by their hashes. */
type PackedBodies = ReadonlyMap<string, Uint8Array>;

const PACKED_FROM_BYTES = 256 * 1024;
const pack = promisify(zstdCompress);

/** Packs the large bodies on another thread and before the transaction: 20 MiB take half a second. */
export async function packLargeBodies({ files }: DomainVisit): Promise<PackedBodies> {
  const packed = new Map<string, Uint8Array>();
  for (const capture of files.flatMap(({ captures }) => captures)) {
    if (!isBody(capture) || capture.body.length < PACKED_FROM_BYTES) continue;
    const { bodyHash, body } = capture;
    if (!packed.has(bodyHash)) packed.set(bodyHash, await pack(body));
  }
  return packed;
}

/** Keeps each body once, by its hash: a file of a manager comes with the visit of each of its publishers. */
async function writeBodies(
  db: Db,
  files: readonly VisitedFile[],
  hashes: ReadonlySet<string | null>,
  packed: PackedBodies,
): Promise<void> {
  const bodies = new Map<string, KeptBody>();
  for (const capture of files.flatMap(({ file }) => file.captures)) {
    if (!isBody(capture) || !hashes.has(capture.bodyHash)) continue;
    const bytes = packed.get(capture.bodyHash);
    const body: KeptBody =
      bytes === undefined ? { bytes: capture.body, packing: null } : { bytes, packing: 'zstd' };
    bodies.set(capture.bodyHash, body);
  }
  const rows = sortedByKey(bodies).map(([hash, body]) => ({ hash, ...body }));
  await insertInChunks(rows, (some) =>
    db
      .insertInto('body')
      .values(some)
      .onConflict((known) => known.column('hash').doNothing())
      .execute(),
  );
}

/** Only the body of a 200 is kept: an error page explains nothing that its status does not. */
function isBody(capture: Capture): capture is Extract<Capture, { ok: true }> {
  return capture.ok && capture.status === 200 && capture.bodyHash !== '';
}

type NewCapture = Omit<Selectable<CaptureTable>, 'id' | 'times'>;

/**
 * Keeps the answers of a visit. An answer that is the same as the last one from its URL extends that row: the same redirects,
 * the same status, and for a 200 the same body; or a 304 to it; or the same kind of failure. Headers live on as the source's
 * validators and schedule. Of pages that are not the file only the status is kept. Returns the hashes of the bodies that new
 * rows refer to.
 */
async function writeCaptures(db: Db, files: readonly VisitedFile[]): Promise<ReadonlySet<string | null>> {
  const begun: NewCapture[] = [];
  for (const { file, source } of files)
    for (const row of captureRows(source, file)) {
      const wasExtended = source.last_visit_at !== null && (await extendCapture(db, row, file.validators));
      if (!wasExtended) begun.push(row);
    }
  await insertInChunks(begun, (some) => db.insertInto('capture').values(some).execute());
  return new Set(begun.map((row) => row.body_hash));
}

function captureRows({ id }: HeldSource, { captures }: FileVisit): readonly NewCapture[] {
  // a shared file may have been fetched earlier for another domain: answers of one visit are seen in their order
  let seenAt = 0;
  return captures.map((capture) => {
    seenAt = Math.max(capture.at, seenAt + 1);
    return {
      source: id,
      at: capture.at,
      requested_url: capture.requestedUrl,
      final_url: capture.finalUrl === capture.requestedUrl ? null : capture.finalUrl,
      trail: jsonOrNull(capture.trail.length === 0 ? undefined : capture.trail),
      status: capture.ok ? capture.status : null,
      body_hash: isBody(capture) ? capture.bodyHash : null,
      bytes: capture.ok ? capture.body.byteLength : null,
      duration_ms: Math.round(capture.durationMs),
      error_code: capture.ok ? null : capture.failure.code,
      error_detail: capture.ok ? null : capture.failure.detail,
      last_seen_at: seenAt,
    };
  });
}

/** Extends the last capture of a URL by an equal answer; false if the answer differs. */
async function extendCapture(db: Db, row: NewCapture, validators: readonly Validator[]): Promise<boolean> {
  const last = await db
    .selectFrom('capture')
    .select(['id', 'final_url', 'trail', 'status', 'body_hash', 'error_code', 'times'])
    .where('source', '=', row.source)
    .where('requested_url', '=', row.requested_url)
    .orderBy('id', 'desc')
    .limit(sql.lit(1))
    .executeTakeFirst();
  if (last === undefined) return false;
  const validator = validators.find(({ url }) => url === row.requested_url);
  const isUnchanged = row.status === 304 && last.status === 200 && last.body_hash === validator?.bodyHash;
  const isSameAnswer = last.status === row.status && last.body_hash === row.body_hash;
  const isSameWay =
    last.final_url === row.final_url && last.trail === row.trail && last.error_code === row.error_code;
  if (!isSameWay || !(isSameAnswer || isUnchanged)) return false;
  await db
    .updateTable('capture')
    .set({
      last_seen_at: row.last_seen_at,
      times: last.times + 1,
      duration_ms: row.duration_ms,
      error_detail: row.error_detail,
    })
    .where('id', '=', last.id)
    .execute();
  return true;
}
