import { randomBytes } from 'node:crypto';
import { member, parseObject } from '../base/json.ts';
import type { ReadAnswer } from './send.ts';

/** The request that verifies the receiver of a new subscription, which must answer with the challenge. */
interface Verification {
  readonly type: 'subscription.verification';
  readonly subscription_id: string;
  /** A new one in every attempt. */
  readonly challenge: string;
}

const TYPE = 'subscription.verification';
/** Longer than any of ours, characters. */
const MAX_TEXT = 500;

/** What the receiver must do, for the error of a pending subscription. */
export const HOW_TO_AGREE =
  'answer the verification request with status 200 and the JSON {"challenge": "…"}, with the challenge of the request';

/** A new verification request, and the reader of its response. */
export function createVerification(subscriptionId: string): {
  readonly body: string;
  readonly readAnswer: ReadAnswer;
} {
  const challenge = randomBytes(24).toString('base64url');
  const verification: Verification = { type: TYPE, subscription_id: subscriptionId, challenge };
  return {
    body: JSON.stringify(verification),
    readAnswer(byStatus, text) {
      if (byStatus.kind !== 'delivered') return byStatus;
      const { status } = byStatus;
      const answer = parseObject(text ?? '');
      const refused = (how: string) =>
        ({ kind: 'refused', status, reason: `the receiver answered ${status} ${how}` }) as const;
      // an echo service does not count as verified
      if (isVerification(answer)) return refused('and repeated the whole request');
      const hasAgreed = status === 200 && member(answer, 'challenge') === challenge;
      return hasAgreed ? byStatus : refused('without the challenge');
    },
  };
}

/** Whether a webhook is the verification request of a subscription. */
export function isVerification(payload: unknown): payload is Verification {
  return member(payload, 'type') === TYPE;
}

/** The error in a verification request, one sentence with its place; undefined for a valid one. */
export function verificationFault(payload: Verification): string | undefined {
  for (const name of ['subscription_id', 'challenge'] as const) {
    const value: unknown = payload[name];
    if (typeof value !== 'string' || value === '' || value.length > MAX_TEXT)
      return `/${name} must be a string of 1 to ${MAX_TEXT} characters`;
  }
  return undefined;
}
