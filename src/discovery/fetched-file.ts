import { defined } from '../base/json.ts';
import { type Answered, type Capture, outcomeOf, type Validator } from '../domain/capture.ts';
import type { AdagentsDeclaration, Declaration, Revocation } from '../domain/declaration.ts';
import type { AuthorisationVia } from '../domain/declared-facts.ts';
import { registrableDomain } from '../domain/domain-name.ts';
import type { Finding } from '../domain/finding.ts';
import { type LocationMove, namerOf } from '../domain/source.ts';
import type { GetRequest } from '../ports/fetcher.ts';
import type { FetchEnd, FileFetch, FileTask } from './file-task.ts';
import type { FindingCode } from './finding-codes.ts';
import type { Read } from './read-document.ts';
import { findingOf } from './report.ts';
import { readingMark } from './schedule.ts';
import type { SharedFiles } from './shared-files.ts';

/** Content of a file that leads to another one. */
const OF_POINTERS: ReadonlySet<string> = new Set<FindingCode>([
  'location_with_agents',
  'location_with_content',
  'redirect_with_agents',
]);

export interface StepRequest extends Omit<GetRequest, 'url'> {
  /** The media type of the format; absent: any will do. */
  readonly mediaType?: string;
}

/** Opens a trail; where the last content was read in another way than it would be now, nothing is taken as known. */
export function openTrail({ source, bounds }: FileTask): FileTrail {
  const { validators, contentHash } = source;
  const last = validators.at(-1);
  if (last === undefined || contentHash === undefined) return new FileTrail(validators);
  const mark = readingMark(bounds(new URL(last.url).hostname));
  return new FileTrail(contentHash.endsWith(mark) ? validators : []);
}

/** Closes a trail with its end. */
export function fetched(task: FileTask, trail: FileTrail, end: FetchEnd): FileFetch {
  const last = trail.captures.at(-1);
  const kept = end.type === 'unusable' ? task.source.validators : trail.validators;
  const { captures, said, move, beside, revoked } = trail;
  const told = end.type === 'content' ? [...trail.told, ...trail.notes] : trail.notes;
  const headers = last?.ok ? last.headers : {};
  return {
    task,
    captures,
    validators: kept,
    headers,
    end,
    said,
    told,
    ...defined({ move, beside, revoked }),
  };
}

/** The end of a trail whose last answer brings no document. */
export function unusable(capture: Capture): Extract<FetchEnd, { readonly type: 'unusable' }> {
  const outcome = outcomeOf(capture) ?? 'failed';
  if (!capture.ok) return { type: 'unusable', outcome, error: capture.failure };
  const error = { code: `http_${capture.status}`, detail: `${capture.finalUrl} answered ${capture.status}` };
  return { type: 'unusable', outcome, error };
}

/** The end of a trail whose last answer is content: unchanged when the whole way is. */
export function contentOrUnchanged(
  trail: FileTrail,
  answer: Answered,
  unchanged: boolean,
  via: AuthorisationVia,
  manager?: string,
): FetchEnd {
  if (unchanged && trail.complete) return { type: 'unchanged' };
  return {
    type: 'content',
    body: answer.body,
    url: answer.requestedUrl,
    via,
    ...(manager !== undefined && { manager }),
  };
}

/** What a body of this file says, read once; the deadline does not count while we are at it. */
export async function readBody(task: FileTask, body: Uint8Array, url: string): Promise<Read<Declaration>> {
  const { kind, shared, domain, source, visit } = task;
  const bounds = task.bounds(new URL(url).hostname);
  const owner = () => (source.foundVia.includes(' ') ? namerOf(source.foundVia) : registrableDomain(domain));
  const read = shared.read({ kind, body, bounds, owner });
  return read instanceof Promise ? (visit.aside?.(read) ?? read) : read;
}

/** One fetch on the way to a file's content. */
export interface FetchStep {
  readonly capture: Capture;
  /** The answer, when it was 200 or 304. */
  readonly answer?: Answered;
  /** 304, or the same bytes as at the last visit. */
  readonly unchanged: boolean;
  /** Where the same bytes led at the last visit. */
  readonly next?: string;
  /** As in Validator. */
  readonly mislabelled?: string;
}

/**
 * The way from a domain to the content that speaks for it: its own file, or a reference and its target, or ads.txt
 * and the manager's file. Each step is asked for conditionally as long as the way is the one of the last visit.
 */
export class FileTrail {
  readonly captures: Capture[] = [];
  /** For the next visit: one for each step that brought a body. */
  readonly validators: Validator[] = [];
  readonly said = new Map<string, string | undefined>();
  move?: LocationMove | null;
  beside?: AdagentsDeclaration;
  revoked?: readonly Revocation[];
  /** Found in pointers; they count only with the content that these lead to. */
  readonly told: Finding[] = [];
  /** About how files were served, and about ads.txt: they count without any content, too. */
  readonly notes: Finding[] = [];
  readonly #previous: readonly Validator[];
  #sameWay = true;

  constructor(previous: readonly Validator[]) {
    this.#previous = previous;
  }

  /** True when every step so far, and the number of steps, is as it was at the last visit. */
  get complete(): boolean {
    return this.#sameWay && this.validators.length === this.#previous.length;
  }

  /** `mediaType`: that of the format, where it has one. */
  async step(
    url: string,
    fetchOnce: (validator: Validator | undefined) => Promise<Capture>,
    mediaType?: string,
  ): Promise<FetchStep> {
    const known = this.#known(url);
    const capture = await fetchOnce(known);
    this.captures.push(capture);
    if (!capture.ok || (capture.status !== 200 && capture.status !== 304))
      return { capture, unchanged: false };
    const isSame = capture.status === 304 || capture.bodyHash === known?.bodyHash;
    const mislabelled = capture.status === 304 ? known?.mislabelled : otherType(capture, mediaType);
    const unchanged = known !== undefined && isSame && mislabelled === known.mislabelled;
    const next = this.#previous[this.validators.length + 1]?.url;
    this.#sameWay &&= known !== undefined;
    const label = defined({ mislabelled });
    this.validators.push({ ...validatorOf(url, capture, known), ...label });
    return {
      capture,
      answer: capture,
      unchanged,
      ...(unchanged && next !== undefined && { next }),
      ...label,
    };
  }

  /** Notes that a file was read although it has another label. */
  noteLabel({ mislabelled, capture: { requestedUrl } }: FetchStep): void {
    if (mislabelled === undefined) return;
    const label = mislabelled === '' ? 'none' : mislabelled;
    this.notes.push(findingOf('content_type_other', '', `${label}, at ${requestedUrl}`));
  }

  /** The pointer that was just read has content of its own, or had some: what it leads to is another thing when it changes. */
  besides({ declaration, findings }: Read<Declaration>, isSame: boolean): void {
    const told = findings.filter(({ code }) => OF_POINTERS.has(code));
    const known = this.#previous[this.validators.length - 1];
    const had = known?.etag === undefined && known?.lastModified === undefined;
    const { beside, revokedPublisherDomains: revoked = [] } =
      declaration?.kind === 'adagents' ? declaration : {};
    const counts = told.length > 0 || revoked.length > 0;
    if (!isSame && (counts || had)) this.#sameWay = false;
    if (beside !== undefined) this.beside = beside;
    if (revoked.length > 0) this.revoked = revoked;
    // places are those of the file that it leads to
    for (const { line: _, column: __, ...finding } of told) this.told.push({ ...finding, pointer: '' });
    if (counts) this.askInFull();
  }

  /** Where the pointer that was just read leads: to a site that waits, or to where it led before, or nowhere. */
  leads(move: LocationMove | null = null): void {
    this.move = move;
    // the next steps are not those that it leads to, so its bytes must say so at the next visit
    if (move !== null) this.askInFull();
  }

  /** Makes the next visit ask for the body of the last step whatever its validators say: its meaning depends on time. */
  askInFull(): void {
    const last = this.validators.pop();
    if (last !== undefined) this.validators.push({ url: last.url, bodyHash: last.bodyHash });
  }

  #known(url: string): Validator | undefined {
    const previous = this.#sameWay ? this.#previous[this.validators.length] : undefined;
    return previous?.url === url ? previous : undefined;
  }
}

/** The media type of an answer where it is not the one that is wanted, without parameters and in lower case. */
function otherType({ headers }: Answered, wanted: string | undefined): string | undefined {
  const [given = ''] = (headers['content-type'] ?? '').split(';', 1);
  const type = given.trim().toLowerCase();
  return wanted === undefined || type === wanted ? undefined : type.slice(0, 100);
}

function validatorOf(url: string, answer: Answered, known: Validator | undefined): Validator {
  const etag = answer.headers.etag ?? (answer.status === 304 ? known?.etag : undefined);
  const lastModified =
    answer.headers['last-modified'] ?? (answer.status === 304 ? known?.lastModified : undefined);
  return {
    url,
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
    bodyHash: answer.status === 304 ? (known?.bodyHash ?? '') : answer.bodyHash,
  };
}

/** What is asked for at a URL: no more bytes than its host may send, within the rule of its redirects. */
function requestOf({ bounds }: FileTask, url: string, { mediaType: _, ...request }: StepRequest) {
  const { maxBytes = 0 } = bounds(new URL(url).hostname);
  return { ...request, url, maxBytes: Math.max(request.maxBytes, maxBytes) };
}

/** A file of the domain itself. */
export function ownStep(
  task: FileTask,
  trail: FileTrail,
  url: string,
  request: StepRequest,
  share: SharedFiles['get'] = (_url, known, fetchOnce) => fetchOnce(known),
): Promise<FetchStep> {
  const asked = requestOf(task, url, request);
  const get = (validator?: Validator) => task.visit.get({ ...asked, ...(validator && { validator }) });
  return trail.step(url, (known) => share(url, known, get), request.mediaType);
}

/** A file that may speak for many domains: it is asked for once for all of them. */
export function sharedStep(
  task: FileTask,
  trail: FileTrail,
  url: string,
  request: StepRequest,
): Promise<FetchStep> {
  return ownStep(task, trail, url, request, (...asked) => task.shared.get(...asked));
}
