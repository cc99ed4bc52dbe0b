import type { Clock } from '../../ports/clock.ts';

/**
 * How long a failure is remembered, milliseconds. Node does not show the SOA record, so this stays below what zones
 * commonly say (RFC 2308, section 5) and far below the five minutes for servers that fail (section 7).
 */
const NOT_THERE_MS = 60_000;
const FAILED_MS = 30_000;
/** The same for the first failure of a name server: a call is retried a second later. */
const FAILED_ONCE_MS = 500;
/** The oldest goes first. */
const MAX_NAMES = 10_000;

interface Failed {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly until: number;
  readonly reason: string;
}

/** Names that had no address a moment ago. A look-up that was stopped is not remembered. */
export class NegativeAnswers {
  readonly #clock: Clock;
  readonly #known = new Map<string, Failed>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Why the name has no address; undefined when it has to be asked for. */
  of(hostname: string): string | undefined {
    const known = this.#known.get(hostname);
    if (known === undefined) return undefined;
    const leftMs = known.until - this.#clock.now();
    return leftMs > 0 && leftMs <= NOT_THERE_MS ? known.reason : undefined;
  }

  /** @param code of c-ares, for example `ENOTFOUND` */
  keep(hostname: string, code: string, reason: string): void {
    const at = this.#clock.now();
    const before = this.#known.get(hostname);
    const isFirst = before === undefined || Math.abs(at - before.at) > FAILED_MS;
    const isAbsent = code === 'ENOTFOUND' || code === 'ENODATA';
    const forMs = isAbsent ? NOT_THERE_MS : isFirst ? FAILED_ONCE_MS : FAILED_MS;
    this.#known.delete(hostname);
    this.#known.set(hostname, { at, until: at + forMs, reason: `${reason} (${code})` });
    if (this.#known.size <= MAX_NAMES) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}
