import { type Answered, type Capture, isGone, isMissing, type Validator } from '../domain/capture.ts';
import type { BrandDeclaration } from '../domain/declaration.ts';
import { adsTxtUrl, registrableDomainOf, wellKnownUrl } from '../domain/domain-name.ts';
import type { FileMemory, LocationMove } from '../domain/source.ts';
import {
  contentOrUnchanged,
  type FetchStep,
  FileTrail,
  fetched,
  openTrail,
  ownStep,
  readBody,
  type StepRequest,
  sharedStep,
  unusable,
} from './fetched-file.ts';
import { goneBack, isAstray, isOlder, isOwnStanding } from './file-memory.ts';
import type { FetchEnd, FileFetch, FileTask } from './file-task.ts';
import type { FindingCode } from './finding-codes.ts';
import { toldByKeeper } from './kept-revocations.ts';
import { readAdsTxt } from './read-ads-txt.ts';
import { compressionOf } from './read-json.ts';
import { findingOf } from './report.ts';
import { absenceEnds, DAY } from './schedule.ts';

type Unusable = Extract<FetchEnd, { readonly type: 'unusable' }>;

const MIB = 1024 * 1024;
const JSON_FILE = {
  mediaType: 'application/json',
  redirects: { allow: 'same_registrable_domain', max: 3 },
} as const;
const ADAGENTS: StepRequest = { maxBytes: 5 * MIB, ...JSON_FILE };
/** The target of a reference: one hop, and not a step further. */
const TARGET: StepRequest = { ...JSON_FILE, maxBytes: 20 * MIB, redirects: { allow: 'none' } };
const ADS_TXT: StepRequest = {
  maxBytes: MIB,
  accept: 'text/plain, */*;q=0.5',
  mediaType: 'text/plain',
  redirects: { allow: 'one_other_domain', max: 5 },
};
const BRAND: StepRequest = { maxBytes: 256 * 1024, ...JSON_FILE };
/** Redirect hops over all variants of redirect that a brand.json knows. */
const MAX_HOPS = 3;

/**
 * Fetches what speaks for a publisher: its adagents.json; or the target of its reference; or, when it has no such
 * file, the file of the manager that its ads.txt names. Failures are values.
 */
export async function fetchAdagents(task: FileTask): Promise<FileFetch> {
  const found = await fetchOnce(task, isAstray(task) ? new FileTrail([]) : openTrail(task));
  const isOwn = 'via' in found.end && found.end.via === 'own';
  const told = isOwn ? undefined : await toldByKeeper(found);
  if (told === undefined) return found;
  return found.end.type === 'unchanged' ? fetchOnce(told, new FileTrail([])) : { ...found, task: told };
}

async function fetchOnce(task: FileTask, trail: FileTrail): Promise<FileFetch> {
  const own = await ownStep(task, trail, wellKnownUrl(task.domain, 'adagents'), ADAGENTS);
  return fetched(task, trail, await followAdagents(task, trail, own));
}

async function followAdagents(task: FileTask, trail: FileTrail, own: FetchStep): Promise<FetchEnd> {
  if (own.answer === undefined)
    return isMissing(own.capture) && !isOwnStanding(task)
      ? askManager(task, trail, own.capture)
      : unusable(own.capture);
  trail.noteLabel(own);
  const location = await pointedTo(task, trail, own);
  if (typeof location === 'object') return location;
  trail.leads();
  if (location === undefined) return contentOrUnchanged(trail, own.answer, own.unchanged, 'own');
  const { url, move } = followed(task, location, standingLocation(task));
  trail.leads(move);
  if (url !== undefined) return followReference(task, trail, url);
  return refused(
    'location_held',
    `authoritative_location changed to another site, ${location}; it is used after 24 hours and two visits`,
  );
}

/** Where the domain's own file points, as it says now or, without its bytes, did at the last visit; or why it is refused. */
async function pointedTo(
  task: FileTask,
  trail: FileTrail,
  { answer, unchanged, next }: FetchStep,
): Promise<string | undefined | FetchEnd> {
  const hasBody = answer !== undefined && answer.body.length > 0;
  if (!hasBody || (unchanged && next === undefined)) return next;
  const { requestedUrl } = answer;
  const read = await readBody(task, answer.body, requestedUrl);
  const { declaration } = read;
  if (declaration?.kind !== 'adagents' || declaration.variant !== 'reference') return undefined;
  trail.besides(read, unchanged);
  if (isOlder(task, requestedUrl, declaration.lastUpdated)) return goneBack(requestedUrl);
  trail.said.set(requestedUrl, declaration.lastUpdated);
  return declaration.authoritativeLocation;
}

async function followReference(task: FileTask, trail: FileTrail, location: string): Promise<FetchEnd> {
  const target = await sharedStep(task, trail, location, TARGET);
  if (target.answer === undefined) return unusable(target.capture);
  trail.noteLabel(target);
  if (!target.unchanged && (await isReference(task, target.answer))) return chained(location);
  return contentOrUnchanged(trail, target.answer, target.unchanged, 'reference');
}

/** The ads.txt fallback: one hop to the manager's file, which must be content itself. */
async function askManager(task: FileTask, trail: FileTrail, own: Capture): Promise<FetchEnd> {
  const place = adsTxtUrl(task.domain);
  const adsTxt = await ownStep(task, trail, place, ADS_TXT);
  // a manager's word is taken back by an ads.txt that is gone, never by one that cannot be read just now
  const relied = task.source.validators.some((validator) => validator.url === place);
  const unread = (why: string, isGoneNow: boolean, instead: Unusable): Unusable =>
    relied && !isGoneNow ? instead : unmanaged(own, `${place} ${why}`);
  if (adsTxt.answer === undefined) {
    const { capture } = adsTxt;
    const why = capture.ok ? `answered ${capture.status}` : `could not be read: ${capture.failure.detail}`;
    if (!isGone(capture)) trail.notes.push(findingOf('ads_txt_unread', '', `${place} ${why}`));
    return unread(why, isGone(capture), unusable(capture));
  }
  const said = managerNamed(adsTxt, task.domain);
  if ('why' in said) {
    const { why, code, isOptOut } = said;
    if (code !== undefined) trail.notes.push(findingOf(code, '', place));
    const end = unread(why, code === undefined, refused(code ?? '', `${place} ${why}`));
    return isOptOut ? { ...end, isWithdrawn: true } : end;
  }
  trail.noteLabel(adsTxt);
  const standing = standingManager(task);
  const isRefused = standing !== undefined && said.refused?.has(new URL(standing.url).hostname) === true;
  const { url, move } = followed(
    task,
    said.location,
    isRefused ? { ...standing, leftAt: task.now } : standing,
  );
  trail.leads(move);
  if (url === undefined) {
    const end = unmanaged(own, `${place} names another manager, which is used after 24 hours and two visits`);
    return isRefused ? { ...end, isWithdrawn: true } : end;
  }
  const file = await sharedStep(task, trail, url, ADAGENTS);
  if (file.answer === undefined) {
    const why = `refers to ${url}, which answered ${file.capture.ok ? file.capture.status : 'nothing'}`;
    return isGone(file.capture) ? unmanaged(own, `${place} ${why}`) : unusable(file.capture);
  }
  trail.noteLabel(file);
  if (!file.unchanged && (await isReference(task, file.answer))) return chained(url);
  return contentOrUnchanged(trail, file.answer, file.unchanged, 'manager', new URL(url).hostname);
}

/** Where the manager's file is, or why the ads.txt leads nowhere; with a code where it is no ads.txt at all. */
function managerNamed(
  { answer, next }: FetchStep,
  domain: string,
): { readonly location: string; readonly refused?: ReadonlySet<string> } | Nowhere {
  const body = answer?.body ?? new Uint8Array();
  if (body.length === 0 && next !== undefined) return { location: next }; // as at the last visit
  const coding = compressionOf(body);
  if (coding !== undefined)
    return {
      why: `is compressed with ${coding}, but has no Content-Encoding header`,
      code: 'ads_txt_compressed',
    };
  const read = readAdsTxt(new TextDecoder().decode(body));
  if ('without' in read) return ADS_TXT_WITHOUT[read.without];
  if (read.manager === domain) return { why: 'names the domain itself as its manager' };
  return { location: wellKnownUrl(read.manager, 'adagents'), refused: read.refused };
}

interface Nowhere {
  readonly why: string;
  /** It is no ads.txt at all. */
  readonly code?: FindingCode;
  /** The publisher refuses agents by it. */
  readonly isOptOut?: true;
}

const ADS_TXT_WITHOUT: Readonly<Record<'page' | 'opted_out' | 'none', Nowhere>> = {
  page: { why: 'is an HTML page and is ignored', code: 'ads_txt_html' },
  opted_out: { why: 'names a manager with the opt-out noagents', isOptOut: true },
  none: { why: 'names no manager' },
};

/** The domain has no file of its own, and its ads.txt leads to none. */
function unmanaged(own: Capture, why: string): Unusable {
  const { outcome, error } = unusable(own);
  return { type: 'unusable', outcome, error: { ...error, detail: `${error.detail}; ${why}` } };
}

async function isReference(task: FileTask, { body, requestedUrl }: Answered): Promise<boolean> {
  return (await readBody(task, body, requestedUrl)).declaration?.variant === 'reference';
}

function chained(url: string): FetchEnd {
  const detail = `${url} refers to yet another file; a reference or a manager must lead to the content itself`;
  return refused('reference_chain', detail);
}

/** Fetches the brand.json that speaks for a domain: its own, or the one that its redirects lead to. */
export async function fetchBrand(task: FileTask): Promise<FileFetch> {
  const trail = openTrail(task);
  const own = wellKnownUrl(task.domain, 'brand');
  const first = await ownStep(task, trail, own, BRAND);
  return fetched(task, trail, await followBrand(task, trail, first, [own]));
}

async function followBrand(
  task: FileTask,
  trail: FileTrail,
  step: FetchStep,
  way: readonly string[],
): Promise<FetchEnd> {
  if (step.answer === undefined) return unusable(step.capture);
  trail.noteLabel(step);
  const next = isKnown(step) ? step.next : await redirectOf(task, step, step.answer, trail);
  if (next === undefined)
    return contentOrUnchanged(trail, step.answer, step.unchanged, way.length > 1 ? 'reference' : 'own');
  if (way.includes(next))
    return refused('redirect_loop', `the redirects of brand.json form a loop at ${next}`);
  if (way.length > MAX_HOPS)
    return refused('too_many_redirects', `brand.json redirects more than ${MAX_HOPS} times`);
  const target = await sharedStep(task, trail, next, BRAND);
  return followBrand(task, trail, target, [...way, next]);
}

/** Where a brand.json sends its reader; a redirect that is not effective yet sends nowhere, and is looked at again. */
async function redirectOf(
  task: FileTask,
  { unchanged }: FetchStep,
  { body, requestedUrl }: Answered,
  trail: FileTrail,
): Promise<string | undefined> {
  const read = await readBody(task, body, requestedUrl);
  const { declaration } = read;
  if (declaration?.kind !== 'brand') return undefined;
  const target = redirectTarget(declaration);
  if (target === undefined) return undefined;
  if ((declaration.redirectEffectiveAt ?? 0) > task.now) {
    trail.askInFull();
    return undefined;
  }
  trail.besides(read, unchanged);
  return target;
}

/** True where the last visit says where it leads. With its bytes, a file that leads elsewhere is looked at again. */
function isKnown({ unchanged, next, answer }: FetchStep): boolean {
  const { body } = answer ?? {};
  return unchanged && !(next !== undefined && body && body.length > 0) && !(body && isDated(body));
}

/** True for bytes that may mean something else today than when they were read last. */
function isDated(body: Uint8Array): boolean {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes('redirect_effective_at');
}

function redirectTarget(declaration: BrandDeclaration): string | undefined {
  if (declaration.variant === 'redirect') return declaration.authoritativeLocation;
  if (declaration.variant === 'house_redirect' && declaration.houseDomain !== undefined)
    return wellKnownUrl(declaration.houseDomain, 'brand');
  return undefined;
}

function refused(code: string, detail: string): Unusable {
  return { type: 'unusable', outcome: 'invalid', error: { code, detail } };
}

/**
 * Where a publisher's pointer leads now: where it points, or, when that is another site than the last one, still to the
 * last one, until the new site was named for 24 h and in two visits. First sight waits for nothing. A file that stopped
 * being a pointer is remembered for a day, so that nobody gets round the wait that way; then there is nothing to follow.
 * The move is over when the new site was read, which may take more visits.
 * The manager that an ads.txt names is such a pointer, too.
 */
function followed(
  task: FileTask,
  location: string,
  stands: FileMemory['last'],
): { readonly url?: string; readonly move?: LocationMove } {
  const { now, source } = task;
  if (stands === undefined || registrableDomainOf(stands.url) === registrableDomainOf(location))
    return { url: location };
  const known = source.memory?.move;
  const isSame = known !== undefined && registrableDomainOf(known.location) === registrableDomainOf(location);
  const since = isSame ? Math.min(known.since, now) : now; // later only by a clock that has been put back
  const visits = isSame ? known.visits + 1 : 1;
  const move = { location, since, visits };
  if (absenceEnds({ absentSince: since, absentVisits: visits, now })) return { url: location, move };
  return stands.leftAt === undefined ? { url: stands.url, move } : { move };
}

/** The target of the pointer that was read last, where one was. */
function standingLocation({ source, domain, now }: FileTask): FileMemory['last'] {
  const { memory, validators, contentHash } = source;
  if (contentHash === undefined) return undefined;
  if (memory?.last !== undefined) return now - (memory.last.leftAt ?? now) < DAY ? memory.last : undefined;
  // read by an earlier version of this program
  return targetAfter(wellKnownUrl(domain, 'adagents'), validators);
}

/**
 * The manager's file that was read last, where one was. After an opt-out nothing is, and another manager waits as if the last
 * one had been left.
 */
function standingManager({ source, domain, now }: FileTask): FileMemory['last'] {
  const { validators, contentHash, memory } = source;
  if (contentHash !== undefined) return targetAfter(adsTxtUrl(domain), validators);
  return memory?.move === undefined ? undefined : { url: adsTxtUrl(domain), leftAt: now };
}

function targetAfter(first: string, [own, target]: readonly Validator[]): FileMemory['last'] {
  return own?.url === first && target !== undefined ? { url: target.url } : undefined;
}
