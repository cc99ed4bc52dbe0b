/*
 * The words of message signatures: what is signed for which purpose, in which order it is checked, and what each
 * refusal is called.
 */

/** A request of a buyer to an agent, or a webhook that an agent posts back. */
export const MESSAGE_KINDS = ['request', 'webhook'] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** The lines of the public protocol by how they sign. Whose names the message uses is the tag's matter. */
export const SIGNING_PROFILES = ['3.0', '3.1', '3.2'] as const;
export type SigningProfile = (typeof SIGNING_PROFILES)[number];

/** `base64`: of RFC 8941, with padding. `base64url`: of RFC 7515, without. */
export type Alphabet = 'base64' | 'base64url';

/**
 * How each profile writes bytes. The signature is read in its own alphabet alone; a digest is read in either, since its
 * bytes are compared anyway. 3.0 is what the field's libraries write, 3.1 what its text says.
 */
export const WRITING: Readonly<Record<SigningProfile, { signature: Alphabet; digest: Alphabet }>> = {
  '3.0': { signature: 'base64url', digest: 'base64' },
  '3.1': { signature: 'base64url', digest: 'base64url' },
  '3.2': { signature: 'base64', digest: 'base64' },
};

/** Whether a request with a body has to cover `content-digest`. A webhook always has to. */
export const DIGEST_RULES = ['required', 'either', 'forbidden'] as const;
export type DigestRule = (typeof DIGEST_RULES)[number];

/** Whose names stand in tags and keys: the specification's, or those of the public protocol. */
export const TAG_VOCABULARIES = ['proto', 'adcp'] as const;
export type TagVocabulary = (typeof TAG_VOCABULARIES)[number];

/** The member of a JWK that says what the key is for. */
export const PURPOSE_MEMBERS: Readonly<Record<TagVocabulary, string>> = {
  proto: 'proto_use',
  adcp: 'adcp_use',
};

/** What a registry signs itself: badges (badge-token.ts), and the heads of its audit log (audit-head.ts). */
const OWN_KINDS = ['badge', 'audit'] as const;
export type OwnKind = (typeof OWN_KINDS)[number];

/**
 * What a key signs: one of the two kinds of messages, the approvals of a governance agent (approvals.ts), or what a
 * registry says itself.
 */
export const KEY_KINDS = [...MESSAGE_KINDS, 'governance', ...OWN_KINDS] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** What a key has to be declared for, by what it signs. */
export const PURPOSES = {
  request: 'request-signing',
  webhook: 'webhook-signing',
  governance: 'governance-signing',
  badge: 'badge-signing',
  audit: 'audit-signing',
} as const satisfies Record<KeyKind, string>;
export type Purpose = (typeof PURPOSES)[KeyKind];

/** The tag of a signature: its purpose and version in one word (RFC 9421, section 2.3). */
export function tagOf(vocabulary: TagVocabulary, kind: MessageKind): string {
  return `${vocabulary}/${PURPOSES[kind]}/v1`;
}

/**
 * By which profile a signature is judged: a fixed one, or the one that the signer shows before anything is verified. The
 * neutral vocabulary has 3.2 alone. Under a tag of the public protocol the padding decides: a signature has 64 bytes, so
 * base64 ends in `==` and base64url never does. No signature is judged by two.
 */
export const PROFILE_RULES = ['declared', ...SIGNING_PROFILES] as const;
export type ProfileRule = (typeof PROFILE_RULES)[number];

/** The profile for a signature as it is written, under its tag. A tag of no vocabulary is refused for itself. */
export function profileFor(rule: ProfileRule, tag: string | undefined, signature: string): SigningProfile {
  if (rule !== 'declared') return rule;
  return tag?.startsWith('proto/') || signature.endsWith('=') ? '3.2' : '3.0';
}

/** The algorithms by their names in RFC 9421, with the one kind of JWK that each of them goes with. */
export const ALGORITHMS = {
  ed25519: { kty: 'OKP', crv: 'Ed25519', jws: ['EdDSA', 'Ed25519'] },
  'ecdsa-p256-sha256': { kty: 'EC', crv: 'P-256', jws: ['ES256'] },
} as const satisfies Record<string, { kty: string; crv: string; jws: readonly string[] }>;
export type SignatureAlgorithm = keyof typeof ALGORITHMS;

/** The same in the words of Web Cryptography; signatures of P-256 are r and s, 32 bytes each. */
export const CRYPTOGRAPHY = {
  ed25519: { name: 'Ed25519' },
  'ecdsa-p256-sha256': { name: 'ECDSA', hash: 'SHA-256' },
} as const satisfies Record<SignatureAlgorithm, { name: string; hash?: string }>;

export function isAlgorithm(name: string): name is SignatureAlgorithm {
  return Object.hasOwn(ALGORITHMS, name);
}

/** Seconds that two clocks may differ. */
export const CLOCK_SKEW = 60;
/** Seconds between `created` and `expires` at most. */
export const MAX_LIFETIME = 300;
/** Bytes of a nonce at least. */
export const MIN_NONCE_BYTES = 16;

/** The checks in their order; the first that fails decides, and nothing is remembered of a message before `replay`. */
export const CHECKS = [
  'parse',
  'parameters',
  'tag',
  'algorithm',
  'window',
  'components',
  'key',
  'purpose',
  'revoked',
  'rate',
  'cryptography',
  'digest',
  'replay',
  'body',
] as const;
export type SignatureCheck = (typeof CHECKS)[number];

/** What can be wrong; with the kind of message it makes the code. */
const FAULTS = [
  'signature_required',
  'signature_header_malformed',
  'target_uri_malformed',
  'signature_params_incomplete',
  'signature_tag_invalid',
  'signature_alg_not_allowed',
  'signature_window_invalid',
  'signature_components_incomplete',
  'signature_components_unexpected',
  'signature_key_unknown',
  'signature_jwks_unavailable',
  'signature_key_purpose_invalid',
  'signature_key_revoked',
  'signature_revocation_stale',
  'signature_rate_abuse',
  'signature_invalid',
  'signature_digest_mismatch',
  'signature_replayed',
  'body_malformed',
] as const;
export type SignatureFault = (typeof FAULTS)[number];

/** A stable code, for example `webhook_signature_replayed`. */
export type SignatureCode = `${MessageKind}_${SignatureFault}`;

/** A check that failed. */
export interface SignatureRefusal {
  readonly check: SignatureCheck;
  readonly fault: SignatureFault;
  /** One sentence, lower case, without a full stop. */
  readonly detail: string;
}

export function refuseSignature(
  check: SignatureCheck,
  fault: SignatureFault,
  detail: string,
): SignatureRefusal {
  return { check, fault, detail };
}

/** A value, or why there is none. */
export type ValueOrRefusal<T> = { readonly value: T } | { readonly refusal: SignatureRefusal };
