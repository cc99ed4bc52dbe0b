import { randomBytes } from 'node:crypto';
import { member, parseObject } from '../base/json.ts';
import type { ReadAnswer } from './send.ts';

/** What a registry posts to the receiver of a new subscription. It agrees by answering with the challenge. */
interface Verification {
  readonly type: 'subscription.verification';
  readonly subscription_id: string;
  /** Another one in every try. */
  readonly challenge: string;
}

const TYPE = 'subscription.verification';
/** Longer than any of ours, characters. */
const MAX_TEXT = 500;

/** What a receiver has to do, for whoever reads why a subscription is not active. */
export const HOW_TO_AGREE =
  'to agree, answer the verification with 200 and the JSON {"challenge": "…"} that it carries';

/** A new verification, and what reads the answer to it. */
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
      // an echo service has not agreed
      if (isVerification(answer)) return refused('with the whole verification');
      const hasAgreed = status === 200 && member(answer, 'challenge') === challenge;
      return hasAgreed ? byStatus : refused('without the challenge');
    },
  };
}

/** Whether a webhook asks its receiver to agree to wake-ups. */
export function isVerification(payload: unknown): payload is Verification {
  return member(payload, 'type') === TYPE;
}

/** What is wrong with a verification, one sentence with its place; undefined when nothing. */
export function verificationFault(payload: Verification): string | undefined {
  for (const name of ['subscription_id', 'challenge'] as const) {
    const value: unknown = payload[name];
    if (typeof value !== 'string' || value === '' || value.length > MAX_TEXT)
      return `/${name} is no text of 1 to ${MAX_TEXT} characters`;
  }
  return undefined;
}
