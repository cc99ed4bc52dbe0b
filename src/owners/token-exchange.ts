import * as oauth from 'oauth4webapi';
import { HIDDEN, holdsSecret } from '../base/redact.ts';
import type { FetchFailure } from '../domain/capture.ts';
import { ProvenOrigin } from '../domain/proven-origin.ts';
import { cleanText } from '../domain/text.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher, GuardedFetch, Visit } from '../ports/fetcher.ts';
import { tokenFault } from './bearer-token.ts';
import type { OAuthClient } from './oauth-client.ts';

/** The response of a token endpoint; a failure uses the names that clients of this protocol know. */
export type TokenAnswer =
  | {
      readonly token: string;
      /** Epoch milliseconds. */
      readonly expiresAt?: number;
      /** Secrets of the request to redact: the secret, and the credential as sent. */
      readonly sent: readonly string[];
      readonly failure?: undefined;
    }
  | { readonly failure: TokenFailure };

export interface TokenFailure {
  /** `oauth`: the endpoint returned an OAuth error; `malformed`: its response has no token; `network`: no response. */
  readonly kind: 'oauth' | 'malformed' | 'network';
  /** One sentence, lower case, without any sent value. */
  readonly message: string;
  /** RFC 6749, section 5.2. */
  readonly oauthError?: string;
  readonly oauthErrorDescription?: string;
  readonly httpStatus?: number;
}

/**
 * Requests one token: in its own visit of the endpoint, or within a visit of the agent, which may be on the same domain.
 * Never rejects.
 */
export type TokenExchange = (
  client: OAuthClient,
  within?: Pick<Visit, 'elsewhere' | 'signal'>,
) => Promise<TokenAnswer>;

const DEADLINE_MS = 8_000;
const MAX_BYTES = 64 * 1024;
const MAX_DESCRIPTION = 300;

/**
 * Uses the guarded fetch: no redirects, no other origin, no private address. The secret is sent only to the endpoint that
 * its owner configured.
 */
export async function exchangeToken(
  client: OAuthClient,
  fetcher: Fetcher,
  clock: Clock,
  within?: Parameters<TokenExchange>[1],
  stop?: AbortSignal,
): Promise<TokenAnswer> {
  const { hostname, origin: issuer } = new URL(client.token_endpoint);
  const origin = ProvenOrigin.of(client.token_endpoint);
  const server = { issuer, token_endpoint: client.token_endpoint };
  const own = { client_id: client.client_id };
  let status: number | undefined;
  let sent: readonly string[] = [client.client_secret];
  const ask = async ({ fetch, signal }: Pick<Visit, 'fetch' | 'signal'>): Promise<TokenAnswer> => {
    const noting: GuardedFetch = (url, init = {}) => {
      sent = sentSecrets(client, init);
      return fetch(url, init);
    };
    try {
      const by = { [oauth.customFetch]: boundedFetch(noting, (seen) => (status = seen)), signal };
      const response = await oauth.clientCredentialsGrantRequest(
        ...([server, own, secretOf(client), fieldsOf(client), by] as const),
      );
      const {
        access_token: token,
        token_type: type,
        expires_in: seconds,
      } = await oauth.processClientCredentialsResponse(...([server, own, response] as const));
      const fault = type === 'bearer' ? tokenFault(token) : 'the token type is not Bearer';
      if (fault !== undefined) return failed('malformed', fault, status);
      return { token, sent, ...(seconds !== undefined && { expiresAt: clock.now() + seconds * 1_000 }) };
    } catch (error) {
      return failureOf(error, sent, status);
    }
  };
  if (within === undefined)
    return fetcher.visit(
      { host: hostname, deadlineMs: DEADLINE_MS, origin, ...(stop && { signal: stop }) },
      ask,
    );
  const signal = AbortSignal.any([within.signal, AbortSignal.timeout(DEADLINE_MS)]);
  return ask({ fetch: within.elsewhere(origin), signal });
}

function secretOf({ client_secret: secret, auth_method: method }: OAuthClient): oauth.ClientAuth {
  return method === 'body' ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret);
}

function fieldsOf({ scope, resource, audience }: OAuthClient): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries({ scope, resource, audience }))
    if (value !== undefined) fields.set(name, value);
  return fields;
}

/** The library reads a body completely, and prefers the challenge of a 401 to the error in its body. */
function boundedFetch(fetch: GuardedFetch, seen: (status: number) => void) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const { status, body, headers } = await fetch(url, init);
    seen(status);
    const text = await textOf(body);
    const type = headers.get('content-type');
    const kept = { status, headers: type === null ? {} : { 'content-type': type } };
    return status === 204 || status === 304 ? new Response(null, kept) : new Response(text, kept);
  };
}

async function textOf(body: Response['body']): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new TooLong(`the response is larger than ${MAX_BYTES / 1024} KiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

class TooLong extends Error {}

function failureOf(error: unknown, sent: readonly string[], status: number | undefined): TokenAnswer {
  if (error instanceof oauth.ResponseBodyError) {
    const { error: code, error_description: description } = error;
    const said = {
      oauthError: wordsOf(code, sent),
      ...(description && { oauthErrorDescription: wordsOf(description, sent) }),
    };
    const answer = failed('oauth', `the token endpoint refused: ${said.oauthError}`, error.status);
    return { failure: { ...answer.failure, ...said } };
  }
  const refused = error instanceof Error && 'failure' in error ? (error.failure as FetchFailure) : undefined;
  if (refused !== undefined)
    return failed('network', `the token endpoint could not be reached: ${refused.code}`, status);
  if (error instanceof TooLong) return failed('malformed', error.message, status);
  if (status === undefined) return failed('network', 'the token endpoint did not respond in time', status);
  return failed('malformed', 'the response of the token endpoint contains no token', status);
}

function failed(kind: TokenFailure['kind'], message: string, httpStatus: number | undefined) {
  return { failure: { kind, message, ...(httpStatus !== undefined && { httpStatus }) } };
}

/** Text of the endpoint, shortened; redacted if it repeats a sent secret in any form. */
function wordsOf(text: string, sent: readonly string[]): string {
  const words = cleanText(text);
  return [text, words].some((one) => holdsSecret(one, sent)) ? HIDDEN : words.slice(0, MAX_DESCRIPTION);
}

/**
 * The secrets of a request: the secret, and the credential exactly as sent (RFC 6749, section 2.3.1). `createRedact` derives
 * all forms in which they may be repeated.
 */
function sentSecrets(
  { client_id: id, client_secret: secret }: OAuthClient,
  init: RequestInit,
): readonly string[] {
  const header = new Headers(init.headers).get('authorization') ?? '';
  const [, basic = ''] = /^Basic (.+)$/.exec(header) ?? [];
  const credential = Buffer.from(basic, 'base64').toString();
  const encoded = credential.slice(credential.indexOf(':') + 1);
  const texts = [secret, encoded, credential, `${id}:${secret}`, basic, header];
  return [...new Set(texts)].filter((text) => text !== '');
}
