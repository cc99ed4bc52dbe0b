import { webcrypto } from 'node:crypto';
import type { Nonces } from '../records/counted-nonces.ts';
import { ambiguityOf } from './ambiguous-json.ts';
import { digestFault, messageFault, rawHostFault, targetFault } from './covered.ts';
import type { KeySource } from './key-source.ts';
import { type HttpRequest, headerValue, signatureBase } from './message.ts';
import { type CompleteSignature, completeSignature } from './parameters.ts';
import {
  CLOCK_SKEW,
  CRYPTOGRAPHY,
  type DigestRule,
  type MessageKind,
  type ProfileRule,
  refuseSignature,
  type SignatureAlgorithm,
  type SignatureCheck,
  type SignatureCode,
  type SignatureRefusal,
  WRITING,
} from './profile.ts';
import { readPublicKey, type VerifyingKey } from './public-key.ts';
import { isRevoked, isStale, NOTHING_REVOKED, type Revocations } from './revocations.ts';
import { readSignatureFields, type SignatureFields } from './signature-fields.ts';
import { isExact } from './structured-fields.ts';

export interface VerifyOptions {
  readonly kind: MessageKind;
  /** Default `declared`. */
  readonly profile?: ProfileRule;
  readonly keys: KeySource;
  /** Epoch seconds. */
  readonly now: number;
  /** For requests with a body; webhooks always cover the digest. Default `required`. */
  readonly digest?: DigestRule;
  readonly revoked?: Revocations;
  /** Without one, a message may come again. */
  readonly replays?: Nonces;
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

export type SignatureVerdict =
  | { readonly verified: true; readonly signer: Signer }
  | {
      readonly verified: false;
      readonly code: SignatureCode;
      readonly check: SignatureCheck;
      readonly detail: string;
    };

/**
 * Verifies the signature of a message, check by check in the order of `CHECKS`; the first that fails decides, and
 * the later ones are not begun. What is cheap and public comes before what costs or reveals something: a revoked
 * key is refused before its signature is computed, and a nonce is remembered only after the signature and the digest
 * hold. Rejects only when the replay store fails.
 */
export async function verifyMessage(message: HttpRequest, options: VerifyOptions): Promise<SignatureVerdict> {
  const judged = await judge(message, options);
  if (!('check' in judged)) return { verified: true, signer: judged };
  return {
    verified: false,
    code: `${options.kind}_${judged.fault}`,
    check: judged.check,
    detail: judged.detail,
  };
}

async function judge(message: HttpRequest, options: VerifyOptions): Promise<Signer | SignatureRefusal> {
  const fields = readSignatureFields(message, options.profile ?? 'declared');
  if ('refusal' in fields) return fields.refusal;
  const form = formFault(message, fields.value);
  if (form !== undefined) return form;
  const complete = completeSignature(message, fields.value, options);
  if ('refusal' in complete) return complete.refusal;
  const signature = complete.value;
  const key = await keyOf(signature, options);
  if ('check' in key) return key;
  if ((await options.replays?.isFull(key.thumbprint, options.now)) === true)
    return refuseSignature('rate', 'signature_rate_abuse', 'the key has signed too many messages recently');
  return (
    (await signatureFault(message, signature, key)) ??
    bodyFault(message, signature) ??
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

/**
 * A target that two readers could take for two has a code of its own. A host in letters is such a one in the vectors of
 * 3.2, and a fault of the header in those before.
 */
function formFault(
  message: HttpRequest,
  { components, profile }: SignatureFields,
): SignatureRefusal | undefined {
  const raw = rawHostFault(message);
  const target = raw === undefined ? targetFault(message) : undefined;
  const unclear = profile === '3.2' ? (raw ?? target) : target;
  if (unclear !== undefined) return refuseSignature('parse', 'target_uri_malformed', unclear);
  const malformed = raw ?? messageFault(message, components);
  return malformed === undefined
    ? undefined
    : refuseSignature('parse', 'signature_header_malformed', malformed);
}

async function keyOf(
  signature: CompleteSignature,
  options: VerifyOptions,
): Promise<VerifyingKey | SignatureRefusal> {
  const { keyid, alg } = signature;
  const answer = await options.keys.find(keyid);
  if (!answer.found) return refuseSignature('key', answer.fault, answer.detail);
  const { jwk, pinned, published } = answer;
  const key = await readPublicKey(jwk, { kind: options.kind, alg, pinned, published });
  if (typeof key === 'string') return refuseSignature('purpose', 'signature_key_purpose_invalid', key);
  const revoked = options.revoked ?? NOTHING_REVOKED;
  if (isStale(revoked, options.now))
    return refuseSignature('revoked', 'signature_revocation_stale', 'the list of revoked keys has expired');
  if (isRevoked(keyid, jwk, revoked, options.now))
    return refuseSignature('revoked', 'signature_key_revoked', 'the key was revoked');
  return key;
}

async function signatureFault(
  message: HttpRequest,
  { fields }: CompleteSignature,
  { key, alg }: VerifyingKey,
): Promise<SignatureRefusal | undefined> {
  const invalid = (detail: string) => refuseSignature('cryptography', 'signature_invalid', detail);
  const bytes = Uint8Array.from(fields.signature);
  if (!isExact(fields.signatureText, bytes, WRITING[fields.profile].signature))
    return invalid('the signature is not canonically encoded');
  const base = signatureBase(message, fields.components, fields.params);
  if (base === undefined) return invalid('a covered part is missing from the message');
  const holds = await webcrypto.subtle.verify(CRYPTOGRAPHY[alg], key, bytes, new TextEncoder().encode(base));
  return holds ? undefined : invalid('the signature does not match the message and the key');
}

function bodyFault(message: HttpRequest, { fields }: CompleteSignature): SignatureRefusal | undefined {
  if (!fields.components.includes('content-digest')) return undefined;
  const fault = digestFault(headerValue(message, 'content-digest') ?? '', message.body ?? new Uint8Array());
  return fault === undefined ? undefined : refuseSignature('digest', 'signature_digest_mismatch', fault);
}

async function replayFault(
  { nonce, expires }: CompleteSignature,
  { thumbprint }: VerifyingKey,
  { replays, now }: VerifyOptions,
): Promise<SignatureRefusal | undefined> {
  if (replays === undefined) return undefined;
  const isNew = await replays.remember({ key: thumbprint, nonce, until: expires + CLOCK_SKEW }, now);
  return isNew ? undefined : refuseSignature('replay', 'signature_replayed', 'the nonce was already used');
}

/** After the replay store, so that a signed message with such a body cannot be sent again and again. */
function ambiguousBody(message: HttpRequest): SignatureRefusal | undefined {
  if (!/^[^;]*[/+]json\s*(;|$)/i.test(headerValue(message, 'content-type') ?? '')) return undefined;
  const ambiguity = ambiguityOf(message.body ?? new Uint8Array());
  return ambiguity === undefined ? undefined : refuseSignature('body', 'body_malformed', ambiguity);
}
