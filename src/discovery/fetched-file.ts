import {
  type Answered,
  type Capture,
  type KeptHeaders,
  outcomeOf,
  type Validator,
} from '../domain/capture.ts';
import type { FileKind } from '../domain/declaration.ts';
import type { AuthorisationVia } from '../domain/declared-facts.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { SourceState, VisitError } from '../domain/source.ts';
import type { Visit } from '../ports/fetcher.ts';
import { FileTrail } from './file-trail.ts';
import { readingMark } from './reading-mark.ts';
import type { SharedFiles } from './shared-files.ts';

/** One file of one domain to be fetched within a visit. */
export interface FileTask {
  readonly domain: string;
  readonly kind: FileKind;
  /** What is known of it from the last visit. */
  readonly source: SourceState;
  readonly visit: Visit;
  readonly shared: SharedFiles;
  /** Epoch milliseconds. */
  readonly now: number;
  /** How much a file that is read from this host may bring in. */
  readonly bounds: (host: string) => FileBounds;
}

/** How many agents and domains one file may bring in; an operator can raise it for a known manager. */
export interface FileBounds {
  readonly maxAgents: number;
  readonly maxDomains: number;
}

/** What fetching ended with. */
export type FetchEnd =
  | {
      readonly type: 'content';
      readonly body: Uint8Array;
      /** The URL whose bytes these are. */
      readonly url: string;
      readonly via: AuthorisationVia;
      /** The domain of the manager whose file it is. */
      readonly manager?: string;
    }
  | { readonly type: 'unchanged' }
  | { readonly type: 'unusable'; readonly outcome: Outcome; readonly error: VisitError };

export interface FileFetch {
  readonly task: FileTask;
  readonly captures: readonly Capture[];
  readonly validators: readonly Validator[];
  /** Of the last answer: they say when to come back. */
  readonly headers: KeptHeaders;
  readonly end: FetchEnd;
}

/** Where a discovery file stands (specification, 4.3). */
export function wellKnownUrl(domain: string, kind: FileKind): string {
  return `https://${domain}/.well-known/${kind}.json`;
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
  return { task, captures: trail.captures, validators: kept, headers: last?.ok ? last.headers : {}, end };
}

/** The end of a trail whose last answer brings no document. */
export function unusable(capture: Capture): FetchEnd {
  const outcome = outcomeOf(capture) ?? 'failed';
  return { type: 'unusable', outcome, error: errorOf(capture) };
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

function errorOf(capture: Capture): VisitError {
  if (!capture.ok) return capture.failure;
  return { code: `http_${capture.status}`, detail: `${capture.finalUrl} answered ${capture.status}` };
}
