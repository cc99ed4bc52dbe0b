import type { Validator } from '../domain/capture.ts';
import { adsTxtUrl, registrableDomainOf, wellKnownUrl } from '../domain/domain-name.ts';
import type { FileMemory, LocationMove } from '../domain/source.ts';
import type { FileTask } from './file-task.ts';
import { absenceEnds, DAY } from './schedule.ts';

/**
 * Where a publisher's pointer leads now: where it points, or, when that is another site than the last one, still to the
 * last one, until the new site was named for 24 h and in two visits. First sight waits for nothing. A file that stopped
 * being a pointer is remembered for a day, so that nobody gets round the wait that way; then there is nothing to follow.
 * The move is over when the new site was read, which may take more visits.
 * The manager that an ads.txt names is such a pointer, too.
 */
export function followed(
  task: FileTask,
  location: string,
  stands: FileMemory['last'],
): { readonly url?: string; readonly move?: LocationMove } {
  const { now, source } = task;
  if (stands === undefined || registrableDomainOf(stands.url) === registrableDomainOf(location))
    return { url: location };
  const known = source.memory?.move;
  const isSame = known !== undefined && registrableDomainOf(known.location) === registrableDomainOf(location);
  const since = isSame ? Math.min(known.since, now) : now; // later only by a clock that has been put back
  const visits = isSame ? known.visits + 1 : 1;
  const move = { location, since, visits };
  if (absenceEnds({ absentSince: since, absentVisits: visits, now })) return { url: location, move };
  return stands.leftAt === undefined ? { url: stands.url, move } : { move };
}

/** The target of the pointer that was read last, where one was. */
export function standingLocation({ source, domain, now }: FileTask): FileMemory['last'] {
  const { memory, validators, contentHash } = source;
  if (contentHash === undefined) return undefined;
  if (memory?.last !== undefined) return now - (memory.last.leftAt ?? now) < DAY ? memory.last : undefined;
  // read by an earlier version of this program
  return targetAfter(wellKnownUrl(domain, 'adagents'), validators);
}

/**
 * The manager's file that was read last, where one was. After an opt-out nothing is, and another manager waits as if the last
 * one had been left.
 */
export function standingManager({ source, domain, now }: FileTask): FileMemory['last'] {
  const { validators, contentHash, memory } = source;
  if (contentHash !== undefined) return targetAfter(adsTxtUrl(domain), validators);
  return memory?.move === undefined ? undefined : { url: adsTxtUrl(domain), leftAt: now };
}

function targetAfter(first: string, [own, target]: readonly Validator[]): FileMemory['last'] {
  return own?.url === first && target !== undefined ? { url: target.url } : undefined;
}
