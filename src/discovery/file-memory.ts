import { defined } from '../base/json.ts';
import type { AdagentsDeclaration, Declaration, Revocation } from '../domain/declaration.ts';
import { registrableDomain, registrableDomainOf, wellKnownUrl } from '../domain/domain-name.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { FileMemory } from '../domain/source.ts';
import { readInstant } from '../domain/text.ts';
import type { FileVisit } from '../domain/visit.ts';
import type { FetchEnd, FileFetch, FileTask } from './file-task.ts';
import { revokesAfter } from './kept-revocations.ts';
import { namesPublisher } from './own-properties.ts';
import { absenceEnds, DAY, HOLD_MS } from './schedule.ts';

type Held = NonNullable<FileMemory['revoked']>;

/**
 * Whether what the domain's own file said (itself, or by its reference) still stands: a file that has just vanished keeps
 * its word for as long as its grace, and nobody else speaks meanwhile.
 */
export function isOwnStanding({ domain, source, now }: FileTask): boolean {
  const isLive = source.contentHash !== undefined;
  if (!isLive || source.validators[0]?.url !== wellKnownUrl(domain, 'adagents')) return false;
  const { absentSince = now, absentVisits } = source;
  return !absenceEnds({ absentSince, absentVisits: absentVisits + 1, now });
}

/** How a visit ends that found a file: it is there again, whatever it says. */
const FOUND: ReadonlySet<Outcome> = new Set(['indexed', 'unchanged', 'invalid']);

/**
 * Counts how long a file has been gone, and ends what it said once the grace is over. A visit that learns nothing of it
 * breaks the count, and the file stays known to be gone.
 */
export function absenceAfter(
  { source, now }: FileTask,
  outcome: Outcome,
): Pick<FileVisit, 'absentSince' | 'absentVisits' | 'ends'> {
  const { absentSince: known, absentVisits: before } = source;
  if (outcome !== 'absent')
    return { absentVisits: 0, ...(known !== undefined && !FOUND.has(outcome) && { absentSince: known }) };
  // later only by a clock that has been put back
  const absentSince = Math.min(before > 0 && known !== undefined ? known : now, now);
  const absentVisits = before + 1;
  return {
    absentSince,
    absentVisits,
    ...(absenceEnds({ absentSince, absentVisits, now }) && { ends: true }),
  };
}

/**
 * Whether a revocation was found to have vanished by a clock that was far ahead. The file is then read anew, and the
 * revocation holds for 7 days from now.
 */
export function isAstray({ source, now }: FileTask): boolean {
  return source.memory?.revoked?.some(({ until = 0 }) => until > now + HOLD_MS) ?? false;
}

/**
 * Whether a file says that it is older than what was read at the same URL. A bare date stands for the end of its day. An
 * older file that stays for 7 days is meant: it is somebody's backup.
 */
export function isOlder({ source: { memory }, now }: FileTask, url: string, lastUpdated?: string): boolean {
  const known = updatedAt(memory, url);
  const said = known === undefined || lastUpdated === undefined ? undefined : readInstant(lastUpdated);
  if (known === undefined || said === undefined) return false;
  if (said.at + (said.isDate ? DAY : 0) >= Math.min(known, now)) return false;
  return now - Math.min(memory?.olderSince ?? now, now) < HOLD_MS;
}

/** The end of a visit that found such a file: like a server's error, so the last good one stays. */
export function goneBack(url: string): Extract<FetchEnd, { readonly type: 'unusable' }> {
  const detail = `last_updated of ${url} is older than in the previous file; the previous file stays in use for up to 7 days`;
  return { type: 'unusable', outcome: 'failed', error: { code: 'last_updated_older', detail } };
}

/** Whether a `last_updated` is too far ahead to be true. It then says nothing, or it would freeze the file. */
export function isFarAhead(lastUpdated: string | undefined, now: number): boolean {
  return lastUpdated !== undefined && (readInstant(lastUpdated)?.at ?? 0) > now + DAY;
}

/** The file with the revocations of its publisher that have vanished and still hold: its own, and those of the file's site. */
export function withHeld(file: AdagentsDeclaration, url: string, task: FileTask): AdagentsDeclaration {
  const { domain, now } = task;
  const revoked = revokedAfter(file.revokedPublisherDomains, url, task);
  if (revoked.length === 0) return file;
  const words = [registrableDomain(domain), registrableDomainOf(url)];
  const held = revoked.filter(({ site }) => words.includes(site));
  const added = held.flatMap(({ until, reason }) =>
    until === undefined || until <= now
      ? []
      : [{ publisherDomain: domain, heldUntil: until, ...defined({ reason }) }],
  );
  if (added.length === 0) return file;
  return { ...file, revokedPublisherDomains: [...file.revokedPublisherDomains, ...added] };
}

/** By whom the domain is revoked: by the file that was read, and for 7 days by whoever no longer says so. */
function revokedAfter(listed: readonly Revocation[], url: string, { domain, now, source }: FileTask): Held {
  const known = source.memory?.revoked ?? [];
  if (listed.length === 0 && known.length === 0) return [];
  const site = registrableDomainOf(url);
  const ours = listed.find(
    ({ publisherDomain, heldUntil }) => heldUntil === undefined && namesPublisher(publisherDomain, domain),
  );
  const vanished = heldFrom(
    known.filter((one) => ours === undefined || one.site !== site),
    now,
  );
  if (ours === undefined) return vanished;
  const since = Math.min(known.find((one) => one.site === site)?.since ?? now, now);
  return [{ site, since, ...defined({ reason: ours.reason }) }, ...vanished];
}

function heldFrom(revoked: Held, now: number): Held {
  const longest = now + HOLD_MS;
  return revoked
    .map((one) => ({ ...one, until: Math.min(one.until ?? longest, longest) }))
    .filter(({ until }) => until > now);
}

/** What is remembered of a file after a visit. `ends`: it is gone for good, and with it all but what it revoked. */
export function memoryAfter(
  fetched: FileFetch,
  declaration: Declaration | undefined,
  ends: boolean,
): FileMemory {
  const { task, end, said, move } = fetched;
  const { now, source } = task;
  const { move: moving, olderSince, ...kept } = source.memory ?? {};
  const { revokes: theirs } = kept;
  if (ends)
    return {
      revoked: heldFrom(kept.revoked ?? [], now),
      ...(theirs && { revokes: revokesAfter([], theirs, task) }),
      ...(move && { move }),
    };
  // a file that nobody can read leads nowhere, and a site that did not answer has not been reached
  const isBroken = end.type === 'content' && declaration === undefined;
  const waits = defined({ move: move === undefined || isBroken ? moving : (move ?? undefined) });
  if (end.type === 'unchanged') return { ...kept, ...waits };
  if (end.type === 'unusable' || declaration === undefined) {
    const isOld = end.type === 'unusable' && end.error.code === 'last_updated_older';
    const since = isOld ? Math.min(olderSince ?? now, now) : olderSince;
    return { ...kept, ...waits, ...defined({ olderSince: since }) };
  }
  const updated = updatedAfter(new Map([...said, [end.url, declaration.lastUpdated]]), fetched);
  if (declaration.kind !== 'adagents') return { updated };
  const listed = declaration.revokedPublisherDomains;
  const revoked = revokedAfter(listed, end.url, task);
  const isKeeper = end.via === 'own' && listed.length > 0;
  const revokes = isKeeper || theirs ? revokesAfter(isKeeper ? listed : [], theirs ?? {}, task) : undefined;
  return {
    updated,
    revoked,
    ...defined({ revokes }),
    ...(waits.move && registrableDomainOf(waits.move.location) !== registrableDomainOf(end.url) && waits),
    ...defined({ last: lastAfter(end, kept.last, now) }),
  };
}

/** Of each file on the way: what it says, as far as that had passed; and what was known when it says nothing. */
function updatedAfter(
  said: ReadonlyMap<string, string | undefined>,
  { validators, task: { now, source } }: FileFetch,
): NonNullable<FileMemory['updated']> {
  return validators.flatMap(({ url }) => {
    const text = said.get(url);
    const told = text === undefined ? undefined : readInstant(text)?.at;
    const isTrue = told !== undefined && told <= now + DAY;
    const at = isTrue ? Math.min(told, now) : updatedAt(source.memory, url);
    return at === undefined ? [] : [{ url, at }];
  });
}

function updatedAt(memory: FileMemory | undefined, url: string): number | undefined {
  return memory?.updated?.find((one) => one.url === url)?.at;
}

function lastAfter(
  end: Extract<FetchEnd, { readonly type: 'content' }>,
  last: FileMemory['last'],
  now: number,
): FileMemory['last'] {
  if (end.via === 'reference') return { url: end.url };
  if (end.via === 'manager' || last === undefined) return undefined;
  const leftAt = Math.min(last.leftAt ?? now, now);
  return now - leftAt < DAY ? { ...last, leftAt } : undefined;
}
