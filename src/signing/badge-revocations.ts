import { hash } from 'node:crypto';
import { asText, isObject, parseObject } from '../base/json.ts';
import { RegistryError } from '../errors.ts';
import type { RevokedBadge } from '../records/runs/compliance-store.ts';
import type { BadgeClaims } from './badge-claims.ts';
import { NOTHING_REVOKED, type Revocations, readRevocations } from './revocations.ts';

/** Where the list is, under the registry's public address. */
export const REVOCATIONS_PATH = '/.well-known/badge-revocations.json';

/** Seconds that a list counts: whoever is shown an older one has not been told of everything. */
const LIST_LIFETIME = 3_600;
/** A list begins at a whole five minutes, so that it has one entity tag for so long. */
const LIST_STEP = 300;

/** What a registry takes back: keys, and badges whose tokens may still be about. */
export interface BadgeRevocations {
  readonly issuer: string;
  readonly keys: Revocations;
  /** By `badgeId`: tokens of badges that were verified before this moment, epoch milliseconds, count no more. */
  readonly badges: ReadonlyMap<string, number>;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

type Identified = Pick<BadgeClaims, 'iss' | 'sub' | 'role' | 'verified_protocol_version'>;

/**
 * What the list calls a badge: only who knows the badge can tell which agent it is about.
 * SHA-256 of a JSON list of four claims, in base64url.
 */
export function badgeId({ iss, sub, role, verified_protocol_version: line }: Identified): string {
  return hash('sha256', JSON.stringify([iss, sub, role, line]), 'base64url');
}

interface Listed {
  readonly issuer: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly kids: readonly string[];
  readonly badges: readonly RevokedBadge[];
}

/** The list as it is published. */
export function revocationList({ issuer, now, kids, badges }: Listed): object {
  const seconds = Math.floor(now / 1_000);
  const issued = seconds - (seconds % LIST_STEP);
  return {
    issuer,
    issued_at: iso(issued * 1_000),
    expires_at: iso((issued + LIST_LIFETIME) * 1_000),
    revoked_keys: kids.map((kid) => ({ kid, status: 'revoked' })),
    revoked_badges: badges.map(({ agent: sub, role, line, revokedAt }) => ({
      id: badgeId({ iss: issuer, sub, role, verified_protocol_version: line }),
      status: 'revoked',
      revoked_at: iso(revokedAt),
    })),
  };
}

/**
 * Reads a published list.
 *
 * @throws RegistryError `input_invalid` for anything else: a list that is not understood must not be passed over
 */
export function readBadgeRevocations(text: string): BadgeRevocations {
  const { issuer, expires_at, revoked_keys, revoked_badges } = parseObject(text) ?? {};
  const expiresAt = Date.parse(asText(expires_at)) / 1_000;
  if (typeof issuer !== 'string' || !Number.isFinite(expiresAt)) throw unreadable('issuer and expires_at');
  if (!Array.isArray(revoked_keys) || !Array.isArray(revoked_badges))
    throw unreadable('revoked_keys and revoked_badges');
  const badges = new Map<string, number>();
  for (const item of revoked_badges) {
    const { id, revoked_at } = isObject(item) ? item : {};
    if (typeof id !== 'string') throw unreadable('an id for each badge');
    const at = Date.parse(asText(revoked_at));
    // one that cannot be read takes back whatever was verified
    badges.set(id, Math.max(badges.get(id) ?? 0, Number.isFinite(at) ? at : Number.POSITIVE_INFINITY));
  }
  const keys =
    revoked_keys.length === 0
      ? NOTHING_REVOKED
      : readRevocations(JSON.stringify({ revoked_kids: revoked_keys }));
  return { issuer, keys, badges, expiresAt };
}

function unreadable(missing: string): RegistryError {
  return new RegistryError('input_invalid', `it is not a list of revoked badges: it has no ${missing}`, {
    hint: `download ${REVOCATIONS_PATH} of the registry to this file`,
  });
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
