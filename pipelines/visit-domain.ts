import { visitMark } from '../src/crawl/progress.ts';
import { type DeclaredFile, declareFile, readFile } from '../src/discovery/declare-file.ts';
import { fetchArd } from '../src/discovery/fetch-ard.ts';
import { fetchAdagents, fetchBrand } from '../src/discovery/fetch-files.ts';
import type { FileTask } from '../src/discovery/file-task.ts';
import { FILE_KINDS } from '../src/domain/declaration.ts';
import { KINDS_OF_VISIT, type LeasedSource, type SourceKind, type VisitWork } from '../src/domain/source.ts';
import { traced } from '../src/ops/trace.ts';
import type { BodyHolder, Visit } from '../src/ports/fetcher.ts';
import type { Attributes } from '../src/ports/tracing.ts';
import type { VisitContext } from './crawl-context.ts';
import { failedFile, faultOf, ownNetworkFile } from './failed-visit.ts';

const FETCH = { adagents: fetchAdagents, ard: fetchArd, brand: fetchBrand } as const;

/**
 * One visit of a domain: its files, one after the other over one connection, then one commit. An internal error is stored as
 * its failure; only a broken store makes it reject. Resolves true when more work for this run may have been found.
 */
export function visitDomain(
  work: VisitWork,
  context: VisitContext,
  leaveDomain: () => void,
): Promise<boolean> {
  const span = { name: 'crawl.visit', attributes: { 'server.address': work.key } } as const;
  return traced(span, work, context, (inTrace) => fetchAndKeep(work, inTrace, leaveDomain));
}

async function fetchAndKeep(
  work: VisitWork,
  context: VisitContext,
  leaveDomain: () => void,
): Promise<boolean> {
  const { tally, bodies } = context;
  const holder: BodyHolder = { bytes: 0, hasAsked: false };
  tally.underWay += 1;
  try {
    const files = await fetchFiles(work, context, holder);
    leaveDomain();
    return await keep(work, await believe(work, files, context), context);
  } catch (fault) {
    context.log.error({ domain: work.key, err: fault }, 'visit failed with an internal error');
    const files = work.sources.map((leased) => failedFile(leased, faultOf(fault), context.clock.now()));
    return await keep(work, files, context);
  } finally {
    tally.underWay -= 1;
    if (holder.hasAsked) bodies.end(holder);
  }
}

/** Files that could not be reached are believed to be away only when our own network works. */
async function believe(
  work: VisitWork,
  files: readonly DeclaredFile[],
  { control, signal, clock }: VisitContext,
): Promise<readonly DeclaredFile[]> {
  const isDoubtful = ({ visit }: DeclaredFile): boolean => visit.outcome === 'unreachable';
  if (control === undefined || signal.aborted || !files.some(isDoubtful)) return files;
  if (await control(`https://${work.key}/`)) return files;
  return files.map((file) => {
    const leased = work.sources.find(({ lease }) => lease === file.visit.lease);
    return leased !== undefined && isDoubtful(file) ? ownNetworkFile(leased, clock.now()) : file;
  });
}

function fetchFiles(work: VisitWork, context: VisitContext, holder: BodyHolder): Promise<DeclaredFile[]> {
  const { fetcher, limits, signal, bodies } = context;
  const room = { take: (n: number) => bodies.take(holder, n), give: (n: number) => bodies.give(holder, n) };
  const options = { host: work.key, deadlineMs: limits.visitDeadlineMs, signal, room };
  return fetcher.visit(options, (visit) => visitFiles(work, visit, context));
}

async function keep(
  work: VisitWork,
  files: readonly DeclaredFile[],
  context: VisitContext,
): Promise<boolean> {
  const { signal, records } = context;
  if (signal.aborted) {
    await records.sources.release(work.sources.map((source) => source.lease));
    return false;
  }
  const found = files.flatMap((file) => file.found);
  const committed = await records.sources.commitDomainVisit({
    domain: work.key,
    at: context.clock.now(),
    files: files.map((file) => file.visit),
    found,
    ...visitMark(context, work.depth),
  });
  report(work, files, committed, context);
  return found.length > 0 || leadsOn(files, context);
}

/** In a named crawl the store follows what an unchanged file led to before. */
function leadsOn(files: readonly DeclaredFile[], { run }: VisitContext): boolean {
  return run !== undefined && files.some((file) => file.visit.outcome === 'unchanged');
}

async function visitFiles(work: VisitWork, visit: Visit, context: VisitContext): Promise<DeclaredFile[]> {
  const files: DeclaredFile[] = [];
  const isUnread = (kind: SourceKind) =>
    work.sources.some(({ source }) => source.kind === kind && source.lastSuccessAt === undefined);
  const hasNothing = FILE_KINDS.every(isUnread); // a file left out of this visit may be there
  for (const kind of KINDS_OF_VISIT.domain) {
    const leased = work.sources.find((item) => item.source.kind === kind);
    if (leased === undefined || kind === 'agent') continue;
    const neverPublished = hasNothing || (kind === 'ard' && isUnread(kind));
    files.push(await visitFile({ kind, domain: work.key, neverPublished }, leased, visit, context));
  }
  return files;
}

/** A file is fetched, read, and turned into what it declares and when to come back. */
async function visitFile(
  file: { readonly kind: keyof typeof FETCH } & Pick<FileTask, 'domain' | 'neverPublished'>,
  { source, lease }: LeasedSource,
  visit: Visit,
  context: VisitContext,
): Promise<DeclaredFile> {
  const { shared, clock, limits, records } = context;
  const memoryOf = async (key: string) => (await records.sources.get({ kind: 'adagents', key }))?.memory;
  const now = clock.now();
  const fetched = await FETCH[file.kind]({
    ...file,
    source,
    visit,
    shared,
    memoryOf,
    now,
    bounds: limits.bounds,
  });
  return declareFile(await readFile(fetched), lease);
}

function report(
  work: VisitWork,
  files: readonly DeclaredFile[],
  committed: { readonly accepted: boolean; readonly newAgents: number },
  { tally, metrics, log, onLost, traced: trace }: VisitContext,
): void {
  trace?.span.set(attributesOf(files, committed.accepted));
  if (!committed.accepted) {
    log.warn({ domain: work.key }, 'visit discarded: lease lost');
    onLost?.(work.key);
    return;
  }
  const outcomes = files.map(({ visit }) => visit.outcome);
  tally.visit('domains', outcomes);
  tally.newAgents += committed.newAgents;
  countVisit(files, metrics);
  reportFailure(work, files, tally);
  for (const { visit } of files) tally.cut(work.key, visit);
  log.debug({ domain: work.key, outcomes }, 'domain visited');
}

/** A visit has one error in its span: that of the first file that could not be used. */
function attributesOf(files: readonly DeclaredFile[], isStored: boolean): Attributes {
  const outcomes = files.map(({ visit }) => [`agent_registry.outcome.${visit.lease.kind}`, visit.outcome]);
  const error = files.map(({ visit }) => visit.error?.code).find((code) => code !== undefined);
  return {
    ...Object.fromEntries(outcomes),
    'agent_registry.stored': isStored,
    ...(error !== undefined && { 'error.type': error }),
  };
}

function countVisit(files: readonly DeclaredFile[], metrics: VisitContext['metrics']): void {
  const captures = files.flatMap((file) => file.visit.captures);
  const bytes = captures.reduce((sum, one) => sum + (one.ok ? one.body.length : 0), 0);
  for (const { visit } of files) metrics.visit('domain', visit.outcome);
  metrics.fetched('domain', bytes);
  metrics.visitTook('domain', captures.reduce((sum, one) => sum + one.durationMs, 0) / 1_000);
}

/**
 * A domain failed when something of it could not be used and nothing else could; `absent` alone is no failure. Domains
 * that were only discovered are reported, but do not count as failures of the run.
 */
function reportFailure(work: VisitWork, files: readonly DeclaredFile[], tally: VisitContext['tally']): void {
  const [visits, named] = [files.map((file) => file.visit), work.depth === 0];
  const useful = visits.some(({ outcome }) => outcome === 'indexed' || outcome === 'unchanged');
  const failed = visits.filter(({ outcome, error }) => error !== undefined && outcome !== 'absent');
  for (const { error, outcome, lease } of failed) {
    const detail = `${lease.kind}.json: ${error?.detail ?? outcome}`;
    tally.note({ source: work.key, code: error?.code ?? outcome, detail });
  }
  if (failed.length > 0 && !useful && named) tally.failedDomains += 1;
  // with one file that was not due, nobody has looked whether the domain publishes neither
  const all = FILE_KINDS.every((kind) => visits.some(({ lease }) => lease.kind === kind));
  if (failed.length === 0 && !useful && named && all) tally.absent(work.key);
}
