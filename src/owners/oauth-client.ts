import { isObject } from '../base/json.ts';
import { parseDomain } from '../domain/domain-name.ts';

/** An OAuth client of an owner, with which tests get their tokens (RFC 6749, section 4.4). */
export interface OAuthClient {
  readonly token_endpoint: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly scope?: string;
  /** RFC 8707. */
  readonly resource?: string;
  readonly audience?: string;
  /** Where the secret stands in the request: in the header, or among the fields. Default `basic`. */
  readonly auth_method?: 'basic' | 'body';
}

/** What is wrong with a client that somebody wants to store, in the words of the field's clients. It never repeats a value. */
export interface OAuthClientFault {
  /** Of `CredentialSaveValidationError` there. */
  readonly code:
    | 'invalid_blob_shape'
    | 'missing_field'
    | 'invalid_field_type'
    | 'field_too_long'
    | 'invalid_url'
    | 'invalid_env_reference'
    | 'invalid_auth_method_value';
  readonly field: keyof OAuthClient | 'oauth_client_credentials';
  readonly message: string;
}

/** The longest text of each, characters; those that must be there come first. */
const LONGEST = {
  token_endpoint: 2_048,
  client_id: 2_048,
  client_secret: 8_192,
  scope: 1_024,
  resource: 2_048,
  audience: 2_048,
  auth_method: 16,
} as const;
const FIELDS = Object.keys(LONGEST) as readonly (keyof OAuthClient)[];
const NEEDED: ReadonlySet<string> = new Set(FIELDS.slice(0, 3));
/** What RFC 6749, appendix A, lets into them. */
const PRINTABLE = /^[\x20-\x7e]+$/;

/** Reads the client that a body stores; optional members may be null or empty. */
export function readOAuthClient(body: unknown): OAuthClient | { readonly fault: OAuthClientFault } {
  const fault = isObject(body) ? shapeFault(body) : blobFault('send a JSON object');
  if (fault !== undefined) return { fault };
  const given = Object.entries(body as object).filter(([, value]) => isSaid(value));
  return Object.fromEntries(given) as unknown as OAuthClient;
}

function shapeFault(body: Readonly<Record<string, unknown>>): OAuthClientFault | undefined {
  if (Object.keys(body).some((name) => !Object.hasOwn(LONGEST, name)))
    return blobFault(`the members are ${FIELDS.join(', ')}`);
  for (const field of FIELDS) {
    const fault = textFault(field, Object.hasOwn(body, field) ? body[field] : undefined);
    if (fault !== undefined) return fault;
  }
  const { token_endpoint: endpoint, auth_method: method } = body;
  if (!isTokenEndpoint(String(endpoint)))
    return {
      ...{ code: 'invalid_url', field: 'token_endpoint' },
      message: 'an https URL of a public host is expected, without a user name or a fragment',
    };
  if (isSaid(method) && method !== 'basic' && method !== 'body')
    return { code: 'invalid_auth_method_value', field: 'auth_method', message: 'basic or body is expected' };
  return undefined;
}

function textFault(field: keyof OAuthClient, value: unknown): OAuthClientFault | undefined {
  const fault = (code: OAuthClientFault['code'], message: string) => ({ code, field, message });
  if (!isSaid(value)) return NEEDED.has(field) ? fault('missing_field', `${field} is missing`) : undefined;
  if (typeof value !== 'string') return fault('invalid_field_type', `${field} is a text`);
  if (value.length > LONGEST[field])
    return fault('field_too_long', `${field} has at most ${LONGEST[field]} characters`);
  if (!PRINTABLE.test(value))
    return fault('invalid_field_type', `${field} has printable ASCII characters only`);
  if (value.startsWith('$ENV:'))
    return fault(
      'invalid_env_reference',
      'this registry reads no variable for its users; send the value itself',
    );
  return undefined;
}

function blobFault(message: string): OAuthClientFault {
  return { code: 'invalid_blob_shape', field: 'oauth_client_credentials', message };
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** Whether the host is public is seen when it is connected to; an address or a local name is none. */
function isTokenEndpoint(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:') return false;
  return url.username === '' && url.password === '' && url.hash === '' && parseDomain(url.hostname).ok;
}
