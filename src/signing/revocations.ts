import { RegistryError } from '../errors.ts';
import type { Jwk } from './public-key.ts';

/** `kid` to the moment from which the key no longer counts, epoch seconds; `-Infinity`: it never did. */
export type Revocations = ReadonlyMap<string, number>;

export const NOTHING_REVOKED: Revocations = new Map();

/**
 * Reads a list of revoked keys: JSON with `revoked_kids[]`, a list, or a JWK set, whose items are a `kid` or an
 * object with `kid` and maybe `revoked_at`; or plain text with a `kid` on each line. A key that is named with no
 * date, or with one that cannot be read, counts for nothing it ever signed.
 *
 * @throws RegistryError `input_invalid` for any other shape: a list that is not understood must not be passed over
 */
export function readRevocations(text: string): Revocations {
  const items = /^\s*[[{]/.test(text) ? itemsOf(parsed(text)) : lines(text);
  return new Map(items.map(entry));
}

/** Whether a key no longer counts at `now` (epoch seconds), by the list or by its own `revoked_at`. */
export function isRevoked(keyid: string, jwk: Jwk, revocations: Revocations, now: number): boolean {
  const listed = revocations.get(keyid);
  if (listed !== undefined && listed <= now) return true;
  return jwk.revoked_at !== undefined && jwk.revoked_at !== null && revokedFrom(jwk.revoked_at) <= now;
}

function lines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      if (/[\s<"]/.test(line)) throw unreadable('a line is no kid');
      return line;
    });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable('it is no JSON', cause);
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
  return [kid, revokedFrom(at)];
}

/** RFC 3339 or epoch seconds. */
function revokedFrom(at: unknown): number {
  const seconds = typeof at === 'number' ? at : Date.parse(String(at)) / 1_000;
  return Number.isFinite(seconds) ? seconds : Number.NEGATIVE_INFINITY;
}

function unreadable(reason: string, cause?: unknown): RegistryError {
  return new RegistryError('input_invalid', `the list of revoked keys cannot be read: ${reason}`, {
    cause,
    hint: 'write {"revoked_kids": ["kid"]}, or a kid on each line',
  });
}
