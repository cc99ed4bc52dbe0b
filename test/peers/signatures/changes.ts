import type { HttpRequest } from '../../../src/signing/message.ts';
import { input, NOW, rewritten } from '../../signing/support.ts';

/** A signed request with one thing wrong, and what each verifier calls it. */
export interface Change {
  readonly name: string;
  readonly make?: (signed: HttpRequest) => HttpRequest;
  /** Seconds after the signing. */
  readonly later?: number;
  readonly keys?: 'none' | 'governance';
  readonly revoked?: true;
  readonly times?: 2;
  /** Default: all. */
  readonly profile?: '3.0' | '3.2';
  /** After `request_`. */
  readonly code: string;
  /** Another code, or none, of a package; `why` says who is right. */
  readonly javascript?: string;
  readonly python?: string;
  readonly why?: string;
}

const fields = (signed: HttpRequest, change: (value: string) => string) =>
  ['signature', 'signature-input'].reduce((message, name) => rewritten(message, name, change), signed);

export const CHANGES: readonly Change[] = [
  {
    name: 'no signature',
    make: (signed) => ({ ...signed, headers: signed.headers.filter(([name]) => !/^signature/i.test(name)) }),
    code: 'signature_required',
  },
  {
    name: 'Signature alone',
    make: (signed) => rewritten(signed, 'signature-input', () => undefined),
    code: 'signature_header_malformed',
  },
  {
    name: 'another label than sig1',
    make: (signed) => fields(signed, (value) => value.replace('sig1', 'sig2')),
    code: 'signature_header_malformed',
    javascript: 'verified',
    why: 'the vectors: verifiers go by the name, and not by the place',
  },
  {
    name: 'two alphabets in one value',
    make: (signed) => rewritten(signed, 'signature', (value) => value.replace(/:.../, ':+-A')),
    code: 'signature_header_malformed',
  },
  {
    name: 'a user name in the target',
    make: (signed) => ({ ...signed, url: signed.url.replace('//', '//me@') }),
    code: 'target_uri_malformed',
    javascript: 'request_signature_header_malformed',
    python: 'verified',
    why: 'the text of 3.2 names this code; Python drops the user name before it looks',
  },
  {
    name: 'a host that is not ASCII',
    make: (signed) => ({ ...signed, url: 'https://bücher.example/mcp' }),
    profile: '3.0',
    code: 'signature_header_malformed',
    python: 'request_target_uri_malformed',
    why: 'the vectors of 3.0 and 3.2 differ, and we follow those of the profile',
  },
  {
    name: 'a host that is not ASCII',
    make: (signed) => ({ ...signed, url: 'https://bücher.example/mcp' }),
    profile: '3.2',
    code: 'target_uri_malformed',
    javascript: 'request_signature_header_malformed',
    why: 'the vectors of 3.0 and 3.2 differ, and we follow those of the profile',
  },
  {
    name: 'the writing of 3.0',
    make: (signed) =>
      rewritten(signed, 'signature', (value) =>
        value.replace(/:(.*):/, (_, text) => `:${Buffer.from(text, 'base64').toString('base64url')}:`),
      ),
    profile: '3.2',
    code: 'signature_header_malformed',
    javascript: 'verified',
    why: 'JavaScript reads both on all lines; a fixed 3.2 does not',
  },
  {
    name: 'no nonce',
    make: (signed) => input(signed, /;nonce="[^"]*"/, ''),
    code: 'signature_params_incomplete',
  },
  {
    name: 'the tag of a webhook',
    make: (signed) => input(signed, 'request-signing', 'webhook-signing'),
    code: 'signature_tag_invalid',
  },
  {
    name: 'another algorithm',
    make: (signed) => input(signed, /alg="[^"]*"/, 'alg="hmac-sha256"'),
    code: 'signature_alg_not_allowed',
  },
  { name: 'six minutes later', later: 361, code: 'signature_window_invalid' },
  {
    name: 'no digest covered',
    make: (signed) => input(signed, ' "content-digest"', ''),
    code: 'signature_components_incomplete',
  },
  { name: 'a key that is not published', keys: 'none', code: 'signature_key_unknown' },
  { name: 'a key for something else', keys: 'governance', code: 'signature_key_purpose_invalid' },
  { name: 'a revoked key', revoked: true, code: 'signature_key_revoked' },
  { name: 'another method', make: (signed) => ({ ...signed, method: 'PUT' }), code: 'signature_invalid' },
  {
    name: 'another moment',
    make: (signed) => input(signed, `created=${NOW}`, `created=${NOW + 1}`),
    code: 'signature_invalid',
  },
  {
    name: 'another body',
    make: (signed) => ({ ...signed, body: new TextEncoder().encode('{"budget":9}') }),
    code: 'signature_digest_mismatch',
  },
  { name: 'the same message again', times: 2, code: 'signature_replayed' },
];
