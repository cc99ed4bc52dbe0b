import { registrableDomain } from '../domain/domain-name.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import type { Politeness } from '../records/sources/politeness.ts';

interface DomainClaimsOptions {
  readonly politeness: Politeness;
  /** Names this process among all. */
  readonly holder: string;
  readonly clock: Clock;
  /** Nobody visits a registrable domain for so long after a visit, milliseconds. */
  readonly pauseMs: number;
  /** Hears of claims that could not be given back: they run out by themselves. */
  readonly onFault: (error: unknown) => void;
}

interface Claim {
  /** Visits in hand that need it, and claims under way. */
  needed: number;
  /** Whether we have it, or only ask for it. */
  ours: boolean;
  /** Nobody may have it before, epoch milliseconds; 0 when nobody was visited. */
  freeAt: number;
}

/** Claims released within this time are sent in one batch. The pause after a visit is longer, so no visit waits for it. */
const GATHER_MS = 500;

/**
 * The registrable domains that this process has claimed among all that share its records. A claim is kept while any
 * visit in hand needs it, and then given back with a pause.
 */
export class DomainClaims {
  readonly #options: DomainClaimsOptions;
  readonly #claims = new Map<string, Claim>();
  /** On their way back, with when they are free. */
  readonly #leaving = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #releasing: Promise<void> = Promise.resolve();

  constructor(options: DomainClaimsOptions) {
    this.#options = options;
  }

  /**
   * Claims those domains that nobody else has; each one that we got is to be left once. Rejects when the
   * records do not answer.
   */
  async claim(domains: ReadonlySet<string>, leaseMs: number): Promise<ReadonlySet<string>> {
    const { politeness, holder, clock } = this.#options;
    // what is on its way back is not ours any more: its pause has begun
    const wanted = [...domains].filter((domain) => !this.#leaving.has(domain));
    // needed from now on, so that nothing that ends meanwhile gives back what we are being given
    for (const domain of wanted) this.enter(domain);
    let got: ReadonlySet<string> = new Set();
    try {
      got = await politeness.claim(wanted, holder, clock.now(), leaseMs);
    } finally {
      for (const domain of wanted) this.#settle(domain, got.has(domain));
    }
    return got;
  }

  /** Another visit needs the domain. */
  enter(domain: string): void {
    const claim = this.#claims.get(domain);
    if (claim === undefined) this.#claims.set(domain, { needed: 1, ours: false, freeAt: 0 });
    else claim.needed += 1;
  }

  /** The site wants to be left alone for so long after the visit that ends now. */
  pause(domain: string, gapMs: number): void {
    const claim = this.#claims.get(domain);
    if (claim !== undefined) claim.freeAt = Math.max(claim.freeAt, this.#options.clock.now() + gapMs);
  }

  /** One need less; the last one gives the domain back. */
  leave(domain: string, visited: boolean): void {
    const claim = this.#claims.get(domain);
    if (claim === undefined) return;
    if (visited) this.pause(domain, this.#options.pauseMs);
    claim.needed -= 1;
    if (claim.needed > 0) return;
    this.#claims.delete(domain);
    if (!claim.ours) return;
    this.#leaving.set(domain, claim.freeAt);
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS);
  }

  /** Gives back at once what is on its way back; never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#releasing = this.#releasing.then(() => this.#release([...this.#leaving]));
    return this.#releasing;
  }

  #settle(domain: string, isOurs: boolean): void {
    const claim = this.#claims.get(domain);
    if (claim !== undefined && isOurs) claim.ours = true;
    if (!isOurs) this.leave(domain, false);
  }

  async #release(leaving: readonly (readonly [string, number])[]): Promise<void> {
    const { politeness, holder, clock, onFault } = this.#options;
    const now = clock.now();
    // rounded up, so that those that end together go together
    const together = Map.groupBy(leaving, ([, freeAt]) => Math.ceil(Math.max(freeAt, now) / 100) * 100);
    try {
      for (const [freeAt, claims] of together) await politeness.release(claims.map(domainOf), holder, freeAt);
    } catch (error) {
      onFault(error);
    }
    for (const claim of leaving) this.#leaving.delete(domainOf(claim));
  }
}

function domainOf([domain]: readonly [string, number]): string {
  return domain;
}

/** The same way to the network, which reports to the claims for how long a site wants to be left alone. */
export function reportPauses(fetcher: Fetcher, claims: DomainClaims): Fetcher {
  return {
    ...fetcher,
    visit: (options, visit) => {
      const onLeave = (gapMs: number) => claims.pause(registrableDomain(options.host), gapMs);
      return fetcher.visit({ ...options, onLeave }, visit);
    },
  };
}
