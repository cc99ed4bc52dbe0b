import { webcrypto } from 'node:crypto';
import type { ReplayStore } from '../ports/replay-store.ts';
import { ambiguityOf } from './ambiguous-json.ts';
import { signatureBase } from './base.ts';
import { messageFault } from './covered.ts';
import { digestFault } from './digest.ts';
import { isExact } from './encoding.ts';
import type { KeySource } from './key-source.ts';
import { fieldValue, type HttpRequest } from './message.ts';
import { type CompleteSignature, completeSignature } from './parameters.ts';
import {
  type Check,
  CLOCK_SKEW,
  CRYPTOGRAPHY,
  type DigestRule,
  type MessageKind,
  type Refusal,
  refuse,
  type SignatureAlgorithm,
  type SignatureCode,
  type SigningProfile,
} from './profile.ts';
import { readPublicKey, type VerifyingKey } from './public-key.ts';
import { isRevoked, NOTHING_REVOKED, type Revocations } from './revocations.ts';
import { readSignatureFields } from './signature-fields.ts';

export interface VerifyOptions {
  readonly kind: MessageKind;
  readonly profile: SigningProfile;
  readonly keys: KeySource;
  /** Epoch seconds. */
  readonly now: number;
  /** For requests with a body; webhooks always cover the digest. Default `required`. */
  readonly digest?: DigestRule;
  readonly revoked?: Revocations;
  /** Without one, a message may come again. */
  readonly replays?: ReplayStore;
}

/** Who signed, as far as the signature shows it. */
export interface Signer {
  readonly keyid: string;
  /** Of the key (RFC 7638). */
  readonly thumbprint: string;
  readonly alg: SignatureAlgorithm;
  readonly tag: string;
  /** Whether the body is covered, so that it too is the signer's. */
  readonly coversBody: boolean;
}

export type Verdict =
  | { readonly verified: true; readonly signer: Signer }
  | {
      readonly verified: false;
      readonly code: SignatureCode;
      readonly check: Check;
      readonly detail: string;
    };

/**
 * Verifies the signature of a message, check by check in the order of `CHECKS`; the first that fails decides, and
 * the later ones are not begun. What is cheap and public comes before what costs or reveals something: a revoked
 * key is refused before its signature is computed, and a nonce is remembered only after the signature and the digest
 * hold. Rejects only when the replay store fails.
 */
export async function verifyMessage(message: HttpRequest, options: VerifyOptions): Promise<Verdict> {
  const judged = await judge(message, options);
  if (!('check' in judged)) return { verified: true, signer: judged };
  return {
    verified: false,
    code: `${options.kind}_${judged.fault}`,
    check: judged.check,
    detail: judged.detail,
  };
}

async function judge(message: HttpRequest, options: VerifyOptions): Promise<Signer | Refusal> {
  const fields = readSignatureFields(message, options.profile);
  if ('refusal' in fields) return fields.refusal;
  const malformed = messageFault(message, fields.value.components);
  if (malformed !== undefined) return refuse('parse', 'signature_header_malformed', malformed);
  const complete = completeSignature(message, fields.value, options);
  if ('refusal' in complete) return complete.refusal;
  const signature = complete.value;
  const key = await keyOf(signature, options);
  if ('check' in key) return key;
  return (
    (await signatureFault(message, signature, key)) ??
    bodyFault(message, signature, options.profile) ??
    (await replayFault(signature, key, options)) ??
    ambiguousBody(message) ?? {
      keyid: signature.keyid,
      thumbprint: key.thumbprint,
      alg: key.alg,
      tag: signature.tag,
      coversBody: signature.fields.components.includes('content-digest'),
    }
  );
}

async function keyOf(signature: CompleteSignature, options: VerifyOptions): Promise<VerifyingKey | Refusal> {
  const { keyid, alg } = signature;
  const answer = await options.keys.find(keyid);
  if (!answer.found) return refuse('key', answer.fault, answer.detail);
  const { jwk, pinned } = answer;
  const key = await readPublicKey(jwk, { kind: options.kind, alg, pinned });
  if (typeof key === 'string') return refuse('purpose', 'signature_key_purpose_invalid', key);
  if (isRevoked(keyid, jwk, options.revoked ?? NOTHING_REVOKED, options.now))
    return refuse('revoked', 'signature_key_revoked', 'the key was revoked');
  return key;
}

async function signatureFault(
  message: HttpRequest,
  { fields }: CompleteSignature,
  { key, alg }: VerifyingKey,
): Promise<Refusal | undefined> {
  const invalid = (detail: string) => refuse('cryptography', 'signature_invalid', detail);
  const bytes = Uint8Array.from(fields.signature);
  if (!isExact(fields.signatureText, bytes, fields.profile))
    return invalid('the bytes of the signature are not written in the one way there is');
  const base = signatureBase(message, fields.components, fields.params);
  if (base === undefined) return invalid('the message lacks what is covered');
  const holds = await webcrypto.subtle.verify(CRYPTOGRAPHY[alg], key, bytes, new TextEncoder().encode(base));
  return holds ? undefined : invalid('the signature is not that of this message by this key');
}

function bodyFault(
  message: HttpRequest,
  { fields }: CompleteSignature,
  profile: SigningProfile,
): Refusal | undefined {
  if (!fields.components.includes('content-digest')) return undefined;
  const fault = digestFault(
    fieldValue(message, 'content-digest') ?? '',
    message.body ?? new Uint8Array(),
    profile,
  );
  return fault === undefined ? undefined : refuse('digest', 'signature_digest_mismatch', fault);
}

async function replayFault(
  { nonce, expires }: CompleteSignature,
  { thumbprint }: VerifyingKey,
  { replays, now }: VerifyOptions,
): Promise<Refusal | undefined> {
  if (replays === undefined) return undefined;
  const isNew = await replays.remember({ key: thumbprint, nonce, until: expires + CLOCK_SKEW }, now);
  return isNew ? undefined : refuse('replay', 'signature_replayed', 'the nonce was used before');
}

/** After the replay store, so that a signed message with such a body cannot be sent again and again. */
function ambiguousBody(message: HttpRequest): Refusal | undefined {
  if (!/^[^;]*[/+]json\s*(;|$)/i.test(fieldValue(message, 'content-type') ?? '')) return undefined;
  const ambiguity = ambiguityOf(message.body ?? new Uint8Array());
  return ambiguity === undefined ? undefined : refuse('body', 'body_malformed', ambiguity);
}
