import type { Capture, Validator } from '../domain/capture.ts';
import type { ProvenOrigin } from '../domain/proven-origin.ts';

/**
 * The guarded HTTP client. Every outgoing request of the program is part of a visit: one registrable domain, one total deadline, at
 * most two connections and ten requests a second.
 */
export interface Fetcher {
  /**
   * Waits for the registrable domain's turn (one visit at a time, a second between visits), then runs `work`
   * with the deadline counting from there. `work` sees failures as values from `get`; `visit` itself rejects
   * only when `work` does.
   */
  visit<T>(options: VisitOptions, work: (visit: Visit) => Promise<T>): Promise<T>;
  /** Whether the host of a URL is mapped to an address by the operator, instead of being reached over the public network. */
  isMapped(url: string): boolean;
  close(): Promise<void>;
}

export interface VisitOptions {
  /** The host to visit; rate limits count by its registrable domain. */
  readonly host: string;
  /** For the whole visit, milliseconds. */
  readonly deadlineMs: number;
  /** Stops the visit early. */
  readonly signal?: AbortSignal;
  /**
   * A loopback origin that the user passed as the argument of the command (`probe http://127.0.0.1:3000`); only this visit may
   * connect to it.
   */
  readonly openOrigin?: string;
  /** The only origin that the visit may connect to. Absent for a visit that only reads. */
  readonly origin?: ProvenOrigin;
  /** Reserves memory for large bodies; absent: a body may take what its request allows. */
  readonly room?: RoomForBodies;
  /** Called when the turn of the domain ends, with the time in which it must not be visited, milliseconds. */
  readonly onLeave?: (gapMs: number) => void;
}

/** The memory that one visit has for large bodies. Bodies of up to 64 KiB need no reservation. */
export interface RoomForBodies {
  /** Waits until more bytes are free; undefined if they are free now. The deadline of the visit is paused meanwhile. */
  take(bytes: number): Promise<void> | undefined;
  give(bytes: number): void;
}

/** A visit that has reserved memory for bodies. */
export interface BodyHolder {
  bytes: number;
  /** Whether memory was requested for it, so that it must be released at its end. */
  hasAsked: boolean;
}

export interface Visit {
  /** Aborted when the deadline has passed or the visit was stopped. */
  readonly signal: AbortSignal;
  /** A GET within the limits, which follows redirects by the rule. Never rejects: a failure is a Capture. */
  get(request: GetRequest): Promise<Capture>;
  /**
   * The same guard behind the WHATWG signature, for the protocol SDKs. Rejects with a FetchGuardError that
   * carries a FetchFailure. Redirects stay inside the registrable domain, and inside the proven origin of the visit if it has one;
   * credentials never leave the origin.
   */
  readonly fetch: GuardedFetch;
  /**
   * The same for one other origin of the agent, such as its token endpoint. It takes a turn of the other registrable domain, but
   * does not wait for it, because two sites could wait for each other.
   */
  readonly elsewhere: (origin: ProvenOrigin) => GuardedFetch;
  /** Waits for our own work, such as reading a large file; the deadline of the visit is paused meanwhile. */
  readonly aside?: <T>(work: Promise<T>) => Promise<T>;
  /** Milliseconds until the deadline of the visit; absent if it has none. */
  readonly leftMs?: () => number;
  /** Milliseconds that rate limits have delayed this visit. */
  readonly heldMs?: () => number;
}

export type GuardedFetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

export interface GetRequest {
  readonly url: string;
  /** After decompression. */
  readonly maxBytes: number;
  readonly redirects: RedirectRule;
  /** Sends If-None-Match and If-Modified-Since. */
  readonly validator?: Validator;
  readonly accept?: string;
  /** Called before a redirect is followed; the request fails if it rejects. */
  readonly beforeRedirect?: (to: URL) => Promise<void>;
}

/**
 * Which redirects a file kind allows: adagents.json and brand.json stay in the domain first asked; a reference target allows
 * none; ads.txt may lead to one other domain, such as that of its host, and stays there (IAB ads.txt 1.1, section 3.1).
 */
export type RedirectRule =
  | { readonly allow: 'none' }
  | { readonly allow: 'one_other_domain'; readonly max: number }
  | { readonly allow: 'same_registrable_domain'; readonly max: number };

/** Which schemes a request may use: files and webhooks only https, calls to agents http as well. */
export type SchemeRule = 'https' | 'http_or_https';

/** Why a URL is never requested, judged by its text; undefined if it is allowed, or its name must be resolved first. */
export type UrlFault = (url: string, schemes: SchemeRule) => string | undefined;

/**
 * Whether our own network works; called when an agent or a domain (as an https URL) cannot be reached. False if the fault is ours.
 * Does not request the site of the URL. Never rejects.
 */
export type ControlProbe = (url: string) => Promise<boolean>;
