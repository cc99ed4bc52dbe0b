import { RegistryError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HeldBy, NamedLease, NamedLeases } from '../../records/upkeep/named-leases.ts';
import { hasEnded, holderName } from '../../this-process.ts';

export interface WantedLease {
  readonly leases: NamedLeases;
  readonly clock: Clock;
  readonly name: string;
  /** Duration of the lease, milliseconds. It is renewed during the work; after a crash, others wait until it expires. */
  readonly leaseMs: number;
}

/** Whether to continue; called before each change. Throws `lease_lost` if another process took over. */
export type ShouldContinue = () => boolean;

/**
 * Runs work that only one process may do at a time, or returns the holder of the lease. The lease of a process of this machine
 * that has ended is taken over at once.
 */
export async function withLease<T>(
  wanted: WantedLease,
  work: (stillOurs: () => void) => Promise<T>,
): Promise<{ readonly done: T } | { readonly heldBy: HeldBy }> {
  const lease = await takeLease(wanted);
  if ('holder' in lease) return { heldBy: lease };
  const kept = keepLease(wanted, lease);
  try {
    return { done: await work(kept.stillOurs) };
  } finally {
    await kept.giveBack();
  }
}

async function takeLease({ leases, clock, name, leaseMs }: WantedLease): Promise<NamedLease | HeldBy> {
  const us = holderName();
  const taken = await leases.take(name, us, clock.now(), leaseMs);
  if (!('holder' in taken) || !hasEnded(taken.holder)) return taken;
  // the process has ended, so its lease is treated as expired
  const overtaken = await leases.take(name, us, taken.until, leaseMs);
  if ('holder' in overtaken) return overtaken;
  return (await leases.renew(overtaken, clock.now(), leaseMs)) ?? overtaken;
}

function keepLease({ leases, clock, name, leaseMs }: WantedLease, taken: NamedLease) {
  let lease: NamedLease | undefined = taken;
  let renewing = Promise.resolve();
  const renew = async () => {
    if (lease !== undefined) lease = await leases.renew(lease, clock.now(), leaseMs);
  };
  const timer = setInterval(() => {
    // if the records cannot be written now, the lease expires and stillOurs reports it
    renewing = renewing.then(renew).catch(() => {});
  }, leaseMs / 3);
  timer.unref();
  return {
    stillOurs() {
      if (lease === undefined || clock.now() >= lease.until) throw lost(name);
    },
    async giveBack() {
      clearInterval(timer);
      await renewing;
      if (lease !== undefined) await leases.release(lease).catch(() => {}); // otherwise it expires
    },
  };
}

function lost(name: string): RegistryError {
  return new RegistryError('lease_lost', `another process has taken over the work '${name}'`, {
    hint: 'this process was stopped or slower than its lease; nothing is lost, run the command again if needed',
    retryable: true,
  });
}
