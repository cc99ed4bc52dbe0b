import { asText, isObject } from '../base/json.ts';
import { RegistryError } from '../errors.ts';
import { CLOCK_SKEW } from './profile.ts';
import type { Jwk } from './public-key.ts';

/** Keys that count no more. */
export interface Revocations {
  /** `kid` to the moment from which the key no longer counts, epoch seconds; `-Infinity`: it never did. */
  readonly kids: ReadonlyMap<string, number>;
  /** Until when the list says all that is known, epoch seconds; `-Infinity` where that cannot be read. Absent: for ever. */
  readonly nextUpdate?: number;
}

export const NOTHING_REVOKED: Revocations = { kids: new Map() };

/**
 * Reads a list of revoked keys: JSON with `revoked_kids[]`, a list, or a JWK set, whose items are a `kid` or an
 * object with `kid` and maybe `revoked_at`; or plain text with a `kid` on each line. A key that is named with no
 * date, or with one that cannot be read, counts for nothing it ever signed. A JSON list may say in `next_update` until
 * when it counts.
 *
 * @throws RegistryError `input_invalid` for any other shape: a list that is not understood must not be passed over
 */
export function readRevocations(text: string): Revocations {
  if (!/^\s*[[{]/.test(text)) return { kids: new Map(lines(text).map(entry)) };
  const list = parsed(text);
  const kids = new Map(itemsOf(list).map(entry));
  const next = isObject(list) ? list.next_update : undefined;
  return next === undefined ? { kids } : { kids, nextUpdate: secondsOf(next) };
}

/** Whether a newer list is due: whoever can keep that one away would make a revoked key count again. */
export function isStale({ nextUpdate }: Revocations, now: number): boolean {
  return nextUpdate !== undefined && nextUpdate + CLOCK_SKEW < now;
}

/**
 * Whether a key no longer counts at `now` (epoch seconds), by the list or by its own `revoked_at`. By a list that is out of
 * date no key counts.
 */
export function isRevoked(keyid: string, jwk: Jwk, revocations: Revocations, now: number): boolean {
  if (isStale(revocations, now)) return true;
  const listed = revocations.kids.get(keyid);
  if (listed !== undefined && listed <= now) return true;
  return jwk.revoked_at !== undefined && jwk.revoked_at !== null && secondsOf(jwk.revoked_at) <= now;
}

function lines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      if (/[\s<"]/.test(line)) throw unreadable('a line is not a kid');
      return line;
    });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable('it is not valid JSON', cause);
  }
}

function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const object = value as Readonly<Record<string, unknown>>;
  const list = ['revoked_kids', 'revoked', 'keys'].map((name) => object[name]).find(Array.isArray);
  if (list === undefined) throw unreadable('it has no revoked_kids');
  return list;
}

function entry(item: unknown): readonly [string, number] {
  if (typeof item === 'string') return [item, Number.NEGATIVE_INFINITY];
  const { kid, revoked_at: at } = (item ?? {}) as { readonly kid?: unknown; readonly revoked_at?: unknown };
  if (typeof kid !== 'string') throw unreadable('an item has no kid');
  return [kid, secondsOf(at)];
}

/** RFC 3339 or epoch seconds; what is neither was always in the past. */
function secondsOf(at: unknown): number {
  const seconds = typeof at === 'number' ? at : Date.parse(asText(at)) / 1_000;
  return Number.isFinite(seconds) ? seconds : Number.NEGATIVE_INFINITY;
}

function unreadable(reason: string, cause?: unknown): RegistryError {
  return new RegistryError('input_invalid', `the list of revoked keys cannot be read: ${reason}`, {
    cause,
    hint: 'write {"revoked_kids": ["kid"]}, or one kid per line',
  });
}
