import type { Capture } from '../domain/capture.ts';
import type {
  AdagentsDeclaration,
  AuthorisationEntry,
  Declaration,
  Property,
  Revocation,
} from '../domain/declaration.ts';
import type { DeclaredFacts } from '../domain/declared-facts.ts';
import type { Finding } from '../domain/finding.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { NewVisit, VisitError } from '../domain/source.ts';
import type { FileVisit, NewDeclaration } from '../domain/visit.ts';
import { endedEntries, ofKeeper, silenceOf } from './declared-publisher.ts';
import { deriveFacts } from './derive-facts.ts';
import { readBody } from './fetched-file.ts';
import { absenceAfter, goneBack, isFarAhead, isOlder, memoryAfter, withHeld } from './file-memory.ts';
import type { FetchEnd, FileFetch } from './file-task.ts';
import { namesPublisher, type Reader } from './own-properties.ts';
import { claimsOfOthers, ownClaims } from './read-ard.ts';
import type { FileBounds } from './read-document.ts';
import { findingOf } from './report.ts';
import { restrictTo } from './restrict.ts';
import { nextVisit, readingMark } from './schedule.ts';
import { otherPublisher } from './simple-publisher.ts';

type Content = Extract<FetchEnd, { readonly type: 'content' }>;

/** A fetched file and what it says; no declaration when it said nothing that can be used, or nothing new. */
interface ReadFile {
  readonly fetched: FileFetch;
  readonly declaration?: Declaration;
  readonly findings: readonly Finding[];
  /** How much the file could bring in. */
  readonly bounds?: FileBounds;
}

/**
 * Reads the content of a fetched file. A file that speaks for many domains is read once and then cut down to what
 * concerns this one, so that six thousand publishers do not store six thousand copies of their manager's file.
 */
export async function readFile(fetched: FileFetch): Promise<ReadFile> {
  const { end, task } = fetched;
  if (end.type !== 'content') return { fetched, findings: fetched.told };
  const bounds = task.bounds(new URL(end.url).hostname);
  const { declaration, findings: found } = await readBody(task, end.body, end.url);
  const findings = end.via === 'own' ? found : ofKeeper(found, end.via);
  if (declaration === undefined) return { fetched, findings };
  const { lastUpdated } = declaration;
  if (isOlder(task, end.url, lastUpdated)) {
    const refused = { ...fetched, validators: task.source.validators, end: goneBack(end.url) };
    return { fetched: refused, findings: [findingOf('last_updated_older', '/last_updated', lastUpdated)] };
  }
  const isSimple = declaration.kind === 'adagents' && declaration.variant === 'simple';
  const more = [
    ...(isFarAhead(lastUpdated, task.now)
      ? [findingOf('last_updated_ahead', '/last_updated', lastUpdated)]
      : []),
    ...fetched.told,
    ...(isSimple ? otherPublisher(declaration, task.domain) : []),
    ...(declaration.kind === 'ard' ? claimsOfOthers(declaration, task.domain) : []),
  ];
  const said = ofDomain(declaration, fetched, end);
  return {
    fetched,
    declaration: said,
    findings: [...findings, ...more, ...endedEntries(said, task.now)],
    bounds,
  };
}

/** What a file says to its publisher: its part of a file that speaks for many, and revocations that still hold. */
function ofDomain(declaration: Declaration, fetched: FileFetch, { url, via }: Content): Declaration {
  const { task, beside, revoked } = fetched;
  if (declaration.kind === 'brand') return declaration;
  if (declaration.kind === 'ard') return ownClaims(declaration, task.domain);
  const reader = { domain: task.domain, via };
  const part = via === 'own' ? declaration : restrictTo(declaration, reader);
  const said = beside === undefined ? part : intersected(part, beside, reader);
  return withHeld(revoked === undefined ? said : withRevoked(said, revoked, task.domain), url, task);
}

/** With what the pointer to the file revokes of the publisher, whose word it is. */
function withRevoked(
  file: AdagentsDeclaration,
  revoked: readonly Revocation[],
  domain: string,
): AdagentsDeclaration {
  const ours = revoked.filter(({ publisherDomain }) => namesPublisher(publisherDomain, domain));
  return { ...file, revokedPublisherDomains: [...file.revokedPublisherDomains, ...ours] };
}

/** What is kept of one file's visit, and where it leads. */
export interface DeclaredFile {
  readonly visit: FileVisit;
  readonly found: readonly NewVisit[];
}

/** Turns a read file into what is stored: the declaration's facts, the outcome, and when to come back. */
export function declareFile(file: ReadFile, lease: FileVisit['lease']): DeclaredFile {
  const read = newlyRead(file);
  const declaration = read?.declaration;
  const { outcome, error } = outcomeOf(file, declaration);
  const { task, captures, headers, end } = file.fetched;
  const isWithdrawn = end.type === 'unusable' && end.isWithdrawn === true;
  const absence = { ...absenceAfter(task, outcome), ...(isWithdrawn && { ends: true as const }) };
  const memory = memoryAfter(file.fetched, declaration?.value, absence.ends === true);
  const isPage = isOwnPage(file);
  const next = nextVisit({
    kind: task.kind,
    key: task.domain,
    outcome,
    headers,
    lastModified: file.fetched.validators.at(-1)?.lastModified,
    failures: task.source.failures,
    now: task.now,
    foundVia: task.source.foundVia,
    ...(task.neverPublished && { neverPublished: true }),
    isPage,
    ...(absence.absentSince !== undefined && { absentSince: absence.absentSince }),
    ...(memory.move && { movedSince: memory.move.since }),
  });
  const visit: FileVisit = {
    lease,
    outcome,
    captures: isPage && task.neverPublished ? captures.map(withoutBody) : captures,
    validators: absence.ends ? [] : validatorsAfter(file, outcome),
    nextVisitAt: next.at,
    failures: next.failures,
    ...(error && { error }),
    ...absence,
    memory,
    ...(declaration && { declaration }),
    findings: read?.findings ?? file.findings,
  };
  return { visit, found: read?.found ?? [] };
}

/** Whether a page stands where the domain's own file should be. Whoever leads to one elsewhere has published something. */
function isOwnPage({ fetched: { end }, findings }: ReadFile): boolean {
  return end.type === 'content' && end.via === 'own' && findings.some(({ code }) => code === 'html_not_json');
}

/** Pages of parked names are millions, and none is a file that somebody may ask for. */
function withoutBody(capture: Capture): Capture {
  return capture.ok ? { ...capture, bodyHash: '' } : capture;
}

/** What a file that was read says now, with all findings, and where it leads within the bounds of one file. */
interface NewlyRead extends Pick<DeclaredFile, 'found'> {
  readonly declaration: NewDeclaration;
  readonly findings: readonly Finding[];
}

/** Undefined when nothing was read, or nothing that can be used. */
export function newlyRead({ fetched, declaration, findings, bounds }: ReadFile): NewlyRead | undefined {
  const { end, task } = fetched;
  if (end.type !== 'content' || declaration === undefined || bounds === undefined) return undefined;
  const { via, manager, url } = end;
  const managerDomain = manager === undefined ? {} : { managerDomain: manager };
  const said = deriveFacts({ declaration, domain: task.domain, via, now: task.now, url, ...managerDomain });
  const facts = { ...said, references: said.references.slice(0, bounds.maxDomains) };
  const leftOut = said.references.length - facts.references.length;
  const hashes = fetched.validators.map((validator) => validator.bodyHash).join('+');
  const contentHash = hashes + readingMark(bounds);
  const isSilent = declaration.kind === 'adagents' && said.authorisations.length === 0;
  const silence = isSilent ? silenceOf({ declaration, via, ...task }) : [];
  const more = leftOut === 0 ? [] : [findingOf('too_many_references', '', `${leftOut} left out`)];
  return {
    declaration: {
      value: declaration,
      via,
      url,
      contentHash,
      facts,
      ...(manager !== undefined && { manager }),
    },
    findings: [...findings, ...more, ...silence],
    found: leads(task.domain, task.kind, facts, bounds),
  };
}

function outcomeOf(
  file: ReadFile,
  declaration: NewDeclaration | undefined,
): { outcome: Outcome; error?: VisitError } {
  const { end } = file.fetched;
  if (end.type === 'unchanged') return { outcome: 'unchanged' };
  if (end.type === 'unusable') return { outcome: end.outcome, error: end.error };
  if (declaration !== undefined) return { outcome: 'indexed' };
  const worst = file.findings.find((finding) => finding.severity === 'error');
  const { code = 'invalid', message: detail = 'the file contains nothing usable' } = worst ?? {};
  return { outcome: 'invalid', error: { code, detail } };
}

/**
 * Those of the last good content: a broken file that stays as it is goes on being an error at every visit, and one that
 * is put right again is unchanged.
 */
function validatorsAfter({ fetched }: ReadFile, outcome: Outcome): FileVisit['validators'] {
  return outcome === 'invalid' ? fetched.task.source.validators : fetched.validators;
}

/** Agents and domains worth a visit, each once, within the bounds of one file. */
function leads(domain: string, kind: string, facts: DeclaredFacts, bounds: FileBounds): NewVisit[] {
  const foundVia = `${domain} ${kind}`;
  const agents = new Map<string, string>();
  for (const named of [...facts.authorisations, ...facts.mentions]) {
    if (!agents.has(named.agent)) agents.set(named.agent, named.declaredUrl);
  }
  return [
    ...[...agents]
      .slice(0, bounds.maxAgents)
      .map(([agent, url]) => ({ kind: 'agent', key: agent, url, foundVia }) as const),
    ...facts.references.map((reference) => ({ kind: 'domain', key: reference.domain, foundVia }) as const),
  ];
}

/**
 * What a publisher's pointer that also has a list of its own and its target have in common. Some clients of buyers read the
 * list and others follow the pointer, so an entry that only one of them has authorises no agent.
 */
function intersected(
  target: AdagentsDeclaration,
  beside: AdagentsDeclaration,
  reader: Reader,
): AdagentsDeclaration {
  const own = restrictTo(beside, reader);
  const said = new Set([...own.entries, ...own.properties].map(textOf));
  const properties = target.properties.filter((property) => said.has(textOf(property)));
  const isLess = [target, own].some(
    (one) => one.listsOthers === true || one.properties.length > properties.length,
  );
  return {
    ...target,
    properties,
    entries: target.entries.filter((entry) => said.has(textOf(entry))),
    revokedPublisherDomains: [...target.revokedPublisherDomains, ...own.revokedPublisherDomains],
    ...(isLess && { listsOthers: true }),
  };
}

/** Everything that decides what the entry or property authorises. */
function textOf(part: AuthorisationEntry | Property): string {
  if (!('scope' in part)) return JSON.stringify(part);
  const { agent, scope, limits, signingKeys } = part;
  return JSON.stringify([agent, scope, limits, signingKeys]);
}
