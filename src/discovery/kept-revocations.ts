import type { Revocation } from '../domain/declaration.ts';
import { registrableDomain } from '../domain/domain-name.ts';
import type { FileMemory } from '../domain/source.ts';
import type { FileFetch, FileTask } from './file-task.ts';
import { namesPublisher } from './own-properties.ts';
import { HOLD_MS } from './schedule.ts';

/** What a network revokes is remembered with its own file, for publishers whose visits came too late to see it. */
type Revokes = NonNullable<FileMemory['revokes']>;

/** So many of one file: they stand in one row, which the visits of its publishers read. */
const MAX_REVOKES = 1_000;

/** What a domain's own file revokes of others after a visit; what has vanished holds for 7 days. */
export function revokesAfter(
  listed: readonly Revocation[],
  known: Revokes,
  { domain, now }: Pick<FileTask, 'domain' | 'now'>,
): Revokes {
  const stands = new Set(
    listed
      .filter(({ publisherDomain, heldUntil }) => heldUntil === undefined && publisherDomain !== domain)
      .map(({ publisherDomain }) => publisherDomain),
  );
  const vanished = Object.entries(known).flatMap(([name, until]) => {
    const held = Math.min(until ?? Infinity, now + HOLD_MS);
    return stands.has(name) || held <= now ? [] : [[name, held] as const];
  });
  const standing = [...stands].map((name) => [name, null] as const);
  return Object.fromEntries([...vanished, ...standing].slice(0, MAX_REVOKES));
}

/**
 * The task again, once it knows what the keeper of the file that speaks for its domain has revoked: seen by a visit of the
 * keeper's alone, and gone before this one. Undefined when there is nothing new.
 */
export async function toldByKeeper({ task, end, validators }: FileFetch): Promise<FileTask | undefined> {
  const { domain, now, source, memoryOf } = task;
  const url = validators.at(-1)?.url;
  if (url === undefined || end.type === 'unusable' || memoryOf === undefined) return undefined;
  const keeper = new URL(url).hostname;
  if (keeper === domain) return undefined;
  const { revokes = {} } = (await memoryOf(keeper)) ?? {};
  const found = Object.entries(revokes).find(([name]) => namesPublisher(name, domain));
  if (found === undefined) return undefined;
  const until = Math.min(found[1] ?? Infinity, now + HOLD_MS);
  const site = registrableDomain(keeper);
  const { revoked = [] } = source.memory ?? {};
  const known = revoked.find((one) => one.site === site);
  const isKnown = known !== undefined && (known.until ?? Infinity) >= until;
  if (until <= now || isKnown) return undefined;
  const others = revoked.filter((one) => one.site !== site);
  const memory = { ...source.memory, revoked: [...others, { since: now, ...known, site, until }] };
  return { ...task, source: { ...source, memory } };
}
