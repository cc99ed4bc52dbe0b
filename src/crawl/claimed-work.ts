import type { DomainClaims } from './domain-claims.ts';
import { domainOfWork, type SiteWork, type TakenWorkOptions } from './taken-work.ts';

export interface ClaimedWorkOptions<W extends SiteWork> extends Pick<TakenWorkOptions<W>, 'take'> {
  readonly claims: DomainClaims;
  /** Of a claim, milliseconds. */
  readonly leaseMs: number;
  /** Releases work whose domain another process visits. */
  readonly release: (works: readonly W[]) => Promise<void>;
  /** Called when every leased domain is claimed by another process: there is work that is due, but not available yet. */
  readonly onMissed?: () => void;
}

/** Attempts in a row that may find only busy domains before there is no work for now. */
const MAX_ASKS = 10;

/**
 * The same `take`, for work whose registrable domains this process can claim among all that share the records. Rejects
 * when the claims cannot be made; what was leased for them is then released.
 */
export function claimedWork<W extends SiteWork>({
  take,
  claims,
  leaseMs,
  release,
  onMissed,
}: ClaimedWorkOptions<W>): TakenWorkOptions<W>['take'] {
  return async (limit, busy) => {
    const passed = new Set<string>();
    for (let asks = 0; asks < MAX_ASKS; asks += 1) {
      const isBusy = (domain: string) => busy.has(domain) || passed.has(domain);
      const works = await take(limit, { ...busy, has: isBusy });
      if (works.length === 0) return [];
      const got = await claims.claim(new Set(works.map(domainOfWork)), leaseMs).catch(async (error) => {
        await release(works).catch(() => {}); // else the leases run out
        throw error;
      });
      const mine = works.filter((work) => got.has(domainOfWork(work)));
      for (const work of mine) claims.enter(domainOfWork(work)); // each piece of work leaves it once
      for (const domain of got) claims.leave(domain, false);
      const others = works.filter((work) => !got.has(domainOfWork(work)));
      await release(others);
      if (mine.length > 0) return mine;
      onMissed?.();
      for (const work of works) passed.add(domainOfWork(work));
    }
    return [];
  };
}
