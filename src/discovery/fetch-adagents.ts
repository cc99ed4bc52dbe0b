import type { Answered, Capture } from '../domain/capture.ts';
import { parseDomain } from '../domain/domain-name.ts';
import type { GetRequest } from '../ports/fetcher.ts';
import {
  contentOrUnchanged,
  type FetchEnd,
  type FetchStep,
  type FileFetch,
  type FileTask,
  type FileTrail,
  fetched,
  openTrail,
  unusable,
  wellKnownUrl,
} from './fetched-file.ts';
import { readAdagents } from './read-adagents.ts';
import { absenceEnds } from './schedule.ts';

const MANAGER_LINE = /^\s*managerdomain\s*=\s*([^\s,;#]+)\s*(?:[,;][^#]*)?(#.*)?$/i;
const MIB = 1024 * 1024;

const OWN: Omit<GetRequest, 'url'> = {
  maxBytes: 5 * MIB,
  redirects: { allow: 'same_registrable_domain', max: 3 },
};

/** The target of a reference: one hop, and not a step further. */
const TARGET: Omit<GetRequest, 'url'> = { maxBytes: 20 * MIB, redirects: { allow: 'none' } };

const ADS_TXT: Omit<GetRequest, 'url'> = {
  maxBytes: MIB,
  redirects: { allow: 'same_registrable_domain', max: 3 },
};

/**
 * Fetches what speaks for a publisher: its adagents.json; or the target of its reference; or, when it has no such
 * file, the file of the manager that its ads.txt names. Failures are values.
 */
export async function fetchAdagents(task: FileTask): Promise<FileFetch> {
  const trail = openTrail(task);
  const own = await trail.step(wellKnownUrl(task.domain, 'adagents'), (validator) =>
    task.visit.get({ ...OWN, url: wellKnownUrl(task.domain, 'adagents'), ...(validator && { validator }) }),
  );
  return fetched(task, trail, await follow(task, trail, own));
}

async function follow(task: FileTask, trail: FileTrail, own: FetchStep): Promise<FetchEnd> {
  if (isMissing(own.capture) && !isOwnStanding(task)) return askManager(task, trail, own.capture);
  if (own.answer === undefined) return unusable(own.capture);
  const location = own.unchanged ? own.next : referenceOf(task, own.answer);
  if (location === undefined) return contentOrUnchanged(trail, own.answer, own.unchanged, 'own');
  return followReference(task, trail, location);
}

async function followReference(task: FileTask, trail: FileTrail, location: string): Promise<FetchEnd> {
  const target = await sharedStep(task, trail, location, TARGET);
  if (target.answer === undefined) return unusable(target.capture);
  if (!target.unchanged && referenceOf(task, target.answer) !== undefined) return chained(location);
  return contentOrUnchanged(trail, target.answer, target.unchanged, 'reference');
}

/**
 * Whether what the domain's own file said (itself, or by its reference) still stands: a file that has just vanished keeps
 * its word for as long as its grace, and nobody else speaks meanwhile.
 */
function isOwnStanding({ domain, source, now }: FileTask): boolean {
  const isLive = source.contentHash !== undefined;
  if (!isLive || source.validators[0]?.url !== wellKnownUrl(domain, 'adagents')) return false;
  const { absentSince = now, absentVisits } = source;
  return !absenceEnds({ absentSince, absentVisits: absentVisits + 1, now });
}

/** The ads.txt fallback: one hop to the manager's file, which must be content itself. */
async function askManager(task: FileTask, trail: FileTrail, own: Capture): Promise<FetchEnd> {
  const url = `https://${task.domain}/ads.txt`;
  const adsTxt = await trail.step(url, (validator) =>
    task.visit.get({ ...ADS_TXT, url, ...(validator && { validator }) }),
  );
  // a manager's word is taken back by an ads.txt that is gone, never by one that cannot be read just now
  const relied = task.source.validators.some((validator) => validator.url === url);
  if (adsTxt.answer === undefined) return unusable(relied && !isGone(adsTxt.capture) ? adsTxt.capture : own);
  const manager = adsTxt.next === undefined ? managerOf(adsTxt.answer) : new URL(adsTxt.next).hostname;
  if (manager === undefined || manager === task.domain) return unusable(own);
  const file = await sharedStep(task, trail, wellKnownUrl(manager, 'adagents'), OWN);
  if (file.answer === undefined) return unusable(isGone(file.capture) ? own : file.capture);
  if (!file.unchanged && referenceOf(task, file.answer) !== undefined)
    return chained(file.capture.requestedUrl);
  return contentOrUnchanged(trail, file.answer, file.unchanged, 'manager', manager);
}

function sharedStep(
  task: FileTask,
  trail: FileTrail,
  url: string,
  request: Omit<GetRequest, 'url'>,
): Promise<FetchStep> {
  return trail.step(url, (known) =>
    task.shared.get(url, known, (validator) =>
      task.visit.get({ ...request, url, ...(validator && { validator }) }),
    ),
  );
}

function referenceOf(task: FileTask, answer: Answered): string | undefined {
  const bounds = task.bounds(new URL(answer.requestedUrl).hostname);
  const reading = task.shared.read(answer.body, () => readAdagents(answer.body, bounds));
  return reading.declaration?.variant === 'reference' ? reading.declaration.authoritativeLocation : undefined;
}

function managerOf(answer: Answered): string | undefined {
  return readAdsTxt(new TextDecoder().decode(answer.body)).manager;
}

function chained(url: string): FetchEnd {
  const detail = `${url} is itself a reference; a reference or a manager's file must carry the content`;
  return { type: 'unusable', outcome: 'invalid', error: { code: 'reference_chain', detail } };
}

function isGone(capture: Capture): boolean {
  return isMissing(capture) || (capture.ok && capture.status === 410);
}

/** No such file, by status or as object stores say it: 403 with an XML AccessDenied. A 410 says more: not any more. */
function isMissing(capture: Capture): boolean {
  if (!capture.ok) return false;
  if (capture.status === 404) return true;
  return (
    capture.status === 403 &&
    /<Code>AccessDenied<\/Code>/.test(new TextDecoder().decode(capture.body.subarray(0, 2_048)))
  );
}

/**
 * The manager that an ads.txt names: the last `MANAGERDOMAIN=` line with a domain name (IAB ads.txt 1.1), a
 * country after a comma tolerated. A line that ends in the comment `#noagents` is passed over, and a line that
 * is itself a comment says nothing.
 */
export function readAdsTxt(text: string): { readonly manager?: string } {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  for (const line of lines.reverse()) {
    const [, value, comment] = MANAGER_LINE.exec(line.slice(0, 1_000)) ?? [];
    if (value === undefined || /^#\s*noagents\b/i.test(comment ?? '')) continue;
    const parsed = parseDomain(value);
    if (parsed.ok) return { manager: parsed.domain };
  }
  return {};
}
