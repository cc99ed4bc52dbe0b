import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The public id, then 256 secret bits. The whole is a token of RFC 6750, section 2.1. */
const API_KEY = /^(ark_[0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;

export interface FreshApiKey {
  readonly id: string;
  /** Shown once, and not stored. */
  readonly key: string;
  readonly hash: string;
}

/**
 * A new key. Its secret is 256 random bits, so a plain SHA-256 is stored: it cannot be guessed, and a slow hash (as for
 * passwords) would only slow down each request.
 */
export function newApiKey(): FreshApiKey {
  const id = `ark_${randomBytes(8).toString('hex')}`;
  const key = `${id}_${randomBytes(32).toString('base64url')}`;
  return { id, key, hash: hash('sha256', key) };
}

/** The id of a member that joined. It is not secret: an import names it to refer to this member. */
export function newMemberId(): string {
  return `mem_${randomBytes(8).toString('hex')}`;
}

/** The id in a text with the form of a key; undefined for any other text. */
export function apiKeyId(text: string): string | undefined {
  return API_KEY.exec(text)?.[1];
}

/** Whether a text is the key with this SHA-256 (hex), in constant time. */
export function isApiKey(text: string, keptHash: string): boolean {
  return timingSafeEqual(hash('sha256', text, 'buffer'), Buffer.from(keptHash, 'hex'));
}

const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** A new secret of a session or an invitation: 256 random bits, shown once. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The stored hash of a secret; undefined for a text that is not a secret. */
export function secretHash(secret: string): string | undefined {
  return SECRET.test(secret) ? hash('sha256', secret) : undefined;
}

/** Lifetime of a session, milliseconds. */
export const SESSION_MS = 12 * 3_600_000;
/** Sessions of one API key; a further one ends the oldest. */
export const SESSIONS_OF_ONE_KEY = 10;

/** The token of one form of a session: a nonce with its seal. */
export function newFormToken(secret: string): string {
  const nonce = randomBytes(16).toString('base64url');
  return `${nonce}.${sealOf(secret, nonce)}`;
}

/** The nonce of a form of this session; undefined for any other text. */
export function formNonce(secret: string, token: string): string | undefined {
  const [, nonce, seal] = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/.exec(token) ?? [];
  if (nonce === undefined || seal === undefined) return undefined;
  return timingSafeEqual(Buffer.from(seal), Buffer.from(sealOf(secret, nonce))) ? nonce : undefined;
}

function sealOf(secret: string, nonce: string): string {
  return createHmac('sha256', secret).update(`form ${nonce}`).digest('base64url');
}
