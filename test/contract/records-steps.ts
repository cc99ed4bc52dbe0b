import { deriveFacts } from '../../src/discovery/derive-facts.ts';
import { readAdagents } from '../../src/discovery/read-adagents.ts';
import { readBrand } from '../../src/discovery/read-brand.ts';
import { readingMark } from '../../src/discovery/schedule.ts';
import type { FileKind } from '../../src/domain/declaration.ts';
import type { DeclaredFacts } from '../../src/domain/declared-facts.ts';
import type { Observation } from '../../src/domain/observation.ts';
import type { SourceKind, VisitKind, VisitWork } from '../../src/domain/source.ts';
import type { DomainVisit, FileVisit, ProbeVisit } from '../../src/domain/visit.ts';
import type { Records } from '../../src/ports/records.ts';
import { agentAt, answered, declaration, domain, HOUR, LEASE, NOW, sha256 } from './records-fixtures.ts';

/** The visit of one file of a work: unchanged unless said otherwise. */
export function fileVisit(work: VisitWork, kind: SourceKind, over: Partial<FileVisit> = {}): FileVisit {
  const leased = work.sources.find((candidate) => candidate.source.kind === kind);
  if (leased === undefined) throw new Error(`${work.key} was taken without its ${kind}`);
  return {
    lease: leased.lease,
    outcome: 'unchanged',
    captures: [],
    nextVisitAt: NOW + 6 * HOUR,
    failures: 0,
    validators: [],
    absentVisits: 0,
    findings: [],
    ...over,
  };
}

/** A visit that reads one file anew, with these facts. */
export function reading(
  work: VisitWork,
  kind: FileKind,
  text: string,
  derived: DeclaredFacts,
  over: Partial<DomainVisit> = {},
): DomainVisit {
  const read = {
    outcome: 'indexed',
    declaration: declaration(kind, text, derived),
    captures: [answered(`https://${work.key}/`, text)],
  } as const;
  const other = kind === 'adagents' ? 'brand' : 'adagents';
  return {
    domain: work.key,
    at: NOW,
    files: [fileVisit(work, kind, read), fileVisit(work, other)],
    found: [],
    ...over,
  };
}

export async function takeOne(records: Records, kind: VisitKind, key: string, now = NOW): Promise<VisitWork> {
  await records.sources.add([kind === 'domain' ? domain(key) : agentAt(key)], now);
  const works = await records.sources.takeDue(kind, 10_000, now, LEASE);
  const wanted = works.find((work) => work.key === key);
  if (wanted === undefined) throw new Error(`${key} is not due`);
  await records.sources.release(
    works.filter((work) => work !== wanted).flatMap((work) => work.sources.map((leased) => leased.lease)),
  );
  return wanted;
}

/** Visits a domain while our own network does not work. */
export async function spoil(records: Records, key: string, at = NOW): Promise<void> {
  const work = await takeOne(records, 'domain', key, at);
  const error = { code: 'own_network', detail: 'no control site answered' };
  const files = [fileVisit(work, 'adagents', { outcome: 'failed', error })];
  await records.sources.commitDomainVisit({ domain: key, at, files, found: [] });
}

/** Visits a domain once and reads one file with these facts. */
export async function declare(
  records: Records,
  key: string,
  kind: FileKind,
  text: string,
  derived: DeclaredFacts,
  at = NOW,
): Promise<void> {
  const work = await takeOne(records, 'domain', key, at);
  const visit = reading(work, kind, text, derived, { at });
  const files = visit.files.map((file) => ({ ...file, nextVisitAt: at + 1 }));
  const { accepted } = await records.sources.commitDomainVisit({ ...visit, files });
  if (!accepted) throw new Error('the lease was lost');
}

export function probing(
  work: VisitWork,
  observation: Observation | undefined,
  over: Partial<ProbeVisit> = {},
): ProbeVisit {
  const lease = work.sources[0]?.lease;
  if (lease === undefined) throw new Error(`${work.key} was taken without a lease`);
  return {
    lease,
    outcome: 'indexed',
    nextVisitAt: NOW + HOUR,
    failures: 0,
    found: [],
    at: NOW,
    ...(observation && { observation }),
    ...over,
  };
}

/** Visits a publisher whose file this is. */
export function publish(records: Records, key: string, file: object, at = NOW): Promise<DeclaredFacts> {
  return publishFile(records, key, 'adagents', { file, at });
}

/** Visits a domain with this file, which its redirects lead to where `url` says so. */
export async function publishFile(
  records: Records,
  key: string,
  kind: FileKind,
  { file, at = NOW, url }: { readonly file: object; readonly at?: number; readonly url?: string },
): Promise<DeclaredFacts> {
  const text = JSON.stringify(file);
  const bytes = new TextEncoder().encode(text);
  const { declaration: value, findings } = kind === 'adagents' ? readAdagents(bytes) : readBrand(bytes);
  if (value === undefined) throw new Error('the test file is no declaration');
  const via = url === undefined ? 'own' : 'reference';
  const derived = deriveFacts({ declaration: value, domain: key, via, now: at });
  const work = await takeOne(records, 'domain', key, at);
  const visit = reading(work, kind, text, derived, { at });
  const declaration = {
    ...({ value, via, facts: derived } as const),
    url: url ?? `https://${key}/.well-known/${kind}.json`,
    contentHash: sha256(text) + readingMark({ maxAgents: 500, maxDomains: 10_000 }),
  };
  const files = visit.files.map((read) => ({
    ...read,
    nextVisitAt: at + 1,
    ...(read.lease.kind === kind && {
      ...{ declaration, findings },
      captures: [answered(declaration.url, text, at)],
    }),
  }));
  await records.sources.commitDomainVisit({ ...visit, files });
  return derived;
}
