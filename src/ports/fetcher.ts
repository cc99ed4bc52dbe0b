import type { Capture, Validator } from '../domain/capture.ts';
import type { ProvenOrigin } from '../domain/proven-origin.ts';

/**
 * The guarded way to the network. Every request of the program to the outside goes through a visit: one
 * registrable domain, one total deadline, at most two connections and ten requests a second.
 */
export interface Fetcher {
  /**
   * Waits for the registrable domain's turn (one visit at a time, a second between visits), then runs `work`
   * with the deadline counting from there. `work` sees failures as values from `get`; `visit` itself rejects
   * only when `work` does.
   */
  visit<T>(options: VisitOptions, work: (visit: Visit) => Promise<T>): Promise<T>;
  /** Whether the host of a URL is reached by a way that the operator gave, and not over the public network. */
  isMapped(url: string): boolean;
  close(): Promise<void>;
}

export interface VisitOptions {
  /** The host visited; politeness counts for its registrable domain. */
  readonly host: string;
  /** For the whole visit, milliseconds. */
  readonly deadlineMs: number;
  /** Stops the visit early. */
  readonly signal?: AbortSignal;
  /**
   * One loopback origin that the user typed as the very argument of the command (`probe http://127.0.0.1:3000`);
   * only this visit may connect to it.
   */
  readonly openOrigin?: string;
  /** Nothing of the visit leaves it: any other origin is refused before a connection. Absent for a visit that only reads. */
  readonly origin?: ProvenOrigin;
  /** Asked before a large body takes memory; absent: it may take what its request allows. */
  readonly room?: RoomForBodies;
  /** Hears, as the domain's turn ends, for how long nobody is to visit it, milliseconds. */
  readonly onLeave?: (gapMs: number) => void;
}

/** The memory that one visit has for large bodies. Bodies of up to 64 KiB ask nobody. */
export interface RoomForBodies {
  /** Makes room for more bytes; undefined when there is some at once. The visit's deadline stands still meanwhile. */
  take(bytes: number): Promise<void> | undefined;
  give(bytes: number): void;
}

/** Who has room for bodies, and for how many bytes. */
export interface BodyHolder {
  bytes: number;
  /** Only then it has to end. */
  hasAsked: boolean;
}

export interface Visit {
  /** Aborted when the deadline has passed or the visit was stopped. */
  readonly signal: AbortSignal;
  /** One GET, redirects followed by the rule, everything capped. Never rejects: a failure is a Capture. */
  get(request: GetRequest): Promise<Capture>;
  /**
   * The same guard behind the WHATWG signature, for the protocol SDKs. Rejects with a FetchGuardError that
   * carries a FetchFailure. Redirects stay inside the registrable domain, and inside the visit's proven origin where it
   * has one; credentials never leave the origin.
   */
  readonly fetch: GuardedFetch;
  /**
   * The same for one other origin, and nothing else: what somebody named beside the agent, as a token endpoint is. Another
   * registrable domain is booked for it, and its turn is not waited for: two sites could wait for each other.
   */
  readonly elsewhere: (origin: ProvenOrigin) => GuardedFetch;
  /** Waits for what we do ourselves, such as reading a large file: meanwhile the visit's deadline does not run on. */
  readonly aside?: <T>(work: Promise<T>) => Promise<T>;
  /** Milliseconds until the visit's deadline; absent where it has none. */
  readonly leftMs?: () => number;
  /** Milliseconds for which our own politeness has held requests of this visit back so far. */
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
  /** Called before a redirect is followed; the request fails where it rejects. */
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

/** Why no request ever goes to a URL, by its text alone; undefined when its name has to be looked up first, or it is good. */
export type UrlFault = (url: string, schemes: SchemeRule) => string | undefined;

/**
 * Tells whether our own way to the network works, asked when an agent or a domain (as an https URL) cannot be reached:
 * false when the fault is ours. Its own sites are not asked. Never rejects.
 */
export type ControlProbe = (url: string) => Promise<boolean>;
