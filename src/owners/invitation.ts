import { hash, randomBytes } from 'node:crypto';

const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** The secret of a new invitation: 256 random bits, which nobody guesses, and which are shown once. */
export function newInvitationSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is kept of a secret; undefined for a text that is none. */
export function invitationHash(secret: string): string | undefined {
  return SECRET.test(secret) ? hash('sha256', secret) : undefined;
}
