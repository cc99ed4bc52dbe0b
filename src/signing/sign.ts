import { randomBytes } from 'node:crypto';
import { serializeInnerList } from 'structured-headers';
import { RegistryError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { GuardedFetch } from '../ports/fetcher.ts';
import { contentDigest, messageFault } from './covered.ts';
import {
  componentValue,
  type HttpRequest,
  hasBody,
  isComponent,
  signatureBase,
  withHeaders,
} from './message.ts';
import { requiredComponents } from './parameters.ts';
import type { SigningKey } from './private-key.ts';
import {
  MAX_LIFETIME,
  type MessageKind,
  MIN_NONCE_BYTES,
  PURPOSES,
  type SigningProfile,
  type TagVocabulary,
  tagOf,
  WRITING,
} from './profile.ts';
import { encodeBytes } from './structured-fields.ts';

type SigningFetchOptions = Omit<SignOptions, 'now' | 'nonce'> & { readonly clock: Clock };

export interface SignOptions {
  readonly kind: MessageKind;
  readonly profile: SigningProfile;
  readonly key: SigningKey;
  /** Epoch seconds. */
  readonly now: number;
  /** Default: the vocabulary of the key. */
  readonly vocabulary?: TagVocabulary;
  /** Whether a request with a body covers its digest. Default true; a webhook always does. */
  readonly coverDigest?: boolean;
  /** More headers to cover, lower case. */
  readonly components?: readonly string[];
  /** Seconds from `created` to `expires`, at most 300 (the default). */
  readonly lifetime?: number;
  /** Unpadded base64url. Default: 16 random bytes; only examples need their own. */
  readonly nonce?: string;
}

const LABEL = 'sig1';

/**
 * Signs a message: the same message with `Content-Digest`, `Signature-Input` and `Signature` (RFC 9421, section
 * 3.1). What stood under these names is replaced. The body has to be sent byte for byte as it was given.
 *
 * @throws RegistryError `input_invalid` for a message that no receiver would accept, or a key for another purpose
 */
export async function signMessage(message: HttpRequest, options: SignOptions): Promise<HttpRequest> {
  const { key, kind, profile } = options;
  if (key.purpose !== undefined && key.purpose !== PURPOSES[kind])
    throw refused(`the key ${key.keyid} is for ${key.purpose}`, `use a key for ${PURPOSES[kind]}`);
  const components = componentsOf(message, options);
  const { signature: alphabet, digest } = WRITING[profile];
  const digested = components.includes('content-digest')
    ? withHeaders(message, {
        'content-digest': contentDigest(
          message.body ?? new Uint8Array(),
          kind === 'webhook' ? 'base64' : digest, // the field's webhooks have RFC 9530's on every line
        ),
      })
    : withoutDigest(message);
  checkForm(digested, components);
  const params = parametersText(components, options);
  const base = signatureBase(digested, components, params) ?? '';
  const signature = await key.sign(new TextEncoder().encode(base));
  return withHeaders(digested, {
    'signature-input': `${LABEL}=${params}`,
    signature: `${LABEL}=${encodeBytes(signature, alphabet)}`,
  });
}

function componentsOf(
  message: HttpRequest,
  { kind, coverDigest, components }: SignOptions,
): readonly string[] {
  const digest = coverDigest === false ? 'forbidden' : 'required';
  return [...new Set([...requiredComponents(message, { kind, digest }), ...(components ?? [])])];
}

/** An uncovered digest would tell a receiver nothing that it could trust. */
function withoutDigest(message: HttpRequest): HttpRequest {
  return { ...message, headers: message.headers.filter(([name]) => name.toLowerCase() !== 'content-digest') };
}

function checkForm(message: HttpRequest, components: readonly string[]): void {
  const fault = messageFault(message, components);
  if (fault !== undefined) throw refused(fault, 'sign the message exactly as it will be sent');
  const unknown = components.find((name) => !isComponent(name) || name !== name.toLowerCase());
  if (unknown !== undefined)
    throw refused(`'${unknown}' cannot be covered`, 'write header names in lower case');
  const absent = components.find((name) => componentValue(message, name) === undefined);
  if (absent !== undefined)
    throw refused(
      `the message has no ${absent}`,
      hasBody(message) ? 'add the Content-Type header of the body' : 'add the header',
    );
}

function parametersText(components: readonly string[], options: SignOptions): string {
  const { now, key, kind, lifetime = MAX_LIFETIME, vocabulary = key.vocabulary } = options;
  if (!(lifetime > 0 && lifetime <= MAX_LIFETIME))
    throw refused(`a signature lives for 1 to ${MAX_LIFETIME} seconds`, 'choose a shorter lifetime');
  const created = Math.floor(now);
  return serializeInnerList([
    components.map((name) => [name, new Map()]),
    new Map<string, string | number>([
      ['created', created],
      ['expires', created + Math.floor(lifetime)],
      ['nonce', options.nonce ?? randomBytes(MIN_NONCE_BYTES).toString('base64url')],
      ['keyid', key.keyid],
      ['alg', key.alg],
      ['tag', tagOf(vocabulary, kind)],
    ]),
  ]);
}

function refused(reason: string, hint: string): RegistryError {
  return new RegistryError('input_invalid', `the message cannot be signed: ${reason}`, { hint });
}

/**
 * A `fetch` that signs what it sends, around another one (the guarded one of a visit, for the protocol SDKs). The
 * body is read once, and those bytes are both signed and sent. Redirects are refused: a signature is for one target.
 *
 * Rejects as the inner `fetch` does, and with a RegistryError `input_invalid` for what cannot be signed.
 */
export function createSigningFetch(inner: GuardedFetch, options: SigningFetchOptions): GuardedFetch {
  return async (input, init) => {
    const signed = await signMessage(await messageOf(input, init), {
      ...options,
      now: Math.floor(options.clock.now() / 1_000),
    });
    return inner(signed.url, {
      ...init,
      method: signed.method,
      headers: signed.headers.map(([name, value]): [string, string] => [name, value]),
      ...(signed.body !== undefined && { body: Uint8Array.from(signed.body) }),
      redirect: 'error',
    });
  };
}

/** What `fetch` would send: it normalises the method, the URL and the headers, and chooses a missing content type. */
async function messageOf(input: string | URL, init: RequestInit | undefined): Promise<HttpRequest> {
  const request = new Request(input, { ...init, signal: null });
  const url = new URL(request.url);
  url.hash = '';
  const body = request.body === null ? undefined : await request.bytes();
  return { method: request.method, url: url.href, headers: [...request.headers], ...(body && { body }) };
}
