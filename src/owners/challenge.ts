import { randomBytes } from 'node:crypto';
import { CHALLENGE_MS, type Challenge } from '../domain/ownership.ts';

/** A text that nobody could have published before it was asked for, valid for seven days. */
export function newChallenge(agent: string, member: string, now: number): Challenge {
  const token = `agent-registry-challenge=${randomBytes(32).toString('base64url')}`;
  return { agent, member, token, expiresAt: now + CHALLENGE_MS };
}
