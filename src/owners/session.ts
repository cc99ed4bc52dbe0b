import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** So long a session lasts, milliseconds. */
export const SESSION_MS = 12 * 3_600_000;
/** Of one API key; beyond it the oldest one ends. */
export const SESSIONS_OF_ONE_KEY = 10;

/** Names one form of a session: a nonce, and what proves that this very session was given it. */
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
