import type { Answered, Capture, Validator } from '../domain/capture.ts';

/** One fetch on the way to a file's content. */
export interface FetchStep {
  readonly capture: Capture;
  /** The answer, when it was 200 or 304. */
  readonly answer?: Answered;
  /** 304, or the same bytes as at the last visit. */
  readonly unchanged: boolean;
  /** Where the same bytes led at the last visit. */
  readonly next?: string;
}

/**
 * The way from a domain to the content that speaks for it: its own file, or a reference and its target, or ads.txt
 * and the manager's file. Each step is asked for conditionally as long as the way is the one of the last visit.
 */
export class FileTrail {
  readonly captures: Capture[] = [];
  /** For the next visit: one for each step that brought a body. */
  readonly validators: Validator[] = [];
  readonly #previous: readonly Validator[];
  #sameWay = true;

  constructor(previous: readonly Validator[]) {
    this.#previous = previous;
  }

  /** True when every step so far, and the number of steps, is as it was at the last visit. */
  get complete(): boolean {
    return this.#sameWay && this.validators.length === this.#previous.length;
  }

  async step(url: string, fetchOnce: (validator: Validator | undefined) => Promise<Capture>): Promise<FetchStep> {
    const known = this.#known(url);
    const capture = await fetchOnce(known);
    this.captures.push(capture);
    if (!capture.ok || (capture.status !== 200 && capture.status !== 304))
      return { capture, unchanged: false };
    const unchanged = known !== undefined && (capture.status === 304 || capture.bodyHash === known.bodyHash);
    const next = this.#previous[this.validators.length + 1]?.url;
    this.#sameWay &&= known !== undefined;
    this.validators.push(validatorOf(url, capture, known));
    return { capture, answer: capture, unchanged, ...(unchanged && next !== undefined && { next }) };
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
