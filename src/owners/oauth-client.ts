import { isObject } from '../base/json.ts';
import { parseDomain } from '../domain/domain-name.ts';

/** An OAuth client of an owner, for the tokens of tests (RFC 6749, section 4.4). */
export interface OAuthClient {
  readonly token_endpoint: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly scope?: string;
  /** RFC 8707. */
  readonly resource?: string;
  readonly audience?: string;
  /** Where the secret is sent: in the Authorization header, or in the body. Default `basic`. */
  readonly auth_method?: 'basic' | 'body';
}

/** The error in an OAuth client, with the codes that clients of this protocol know. It never repeats a value. */
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

/** The maximum length of each field, characters; required fields first. */
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
/** The characters that RFC 6749, appendix A, allows. */
const PRINTABLE = /^[\x20-\x7e]+$/;

/** Reads the OAuth client of a body; optional fields may be null or empty. */
export function readOAuthClient(body: unknown): OAuthClient | { readonly fault: OAuthClientFault } {
  const fault = isObject(body) ? shapeFault(body) : blobFault('send a JSON object');
  if (fault !== undefined) return { fault };
  const given = Object.entries(body as object).filter(([, value]) => isSaid(value));
  return Object.fromEntries(given) as unknown as OAuthClient;
}

function shapeFault(body: Readonly<Record<string, unknown>>): OAuthClientFault | undefined {
  if (Object.keys(body).some((name) => !Object.hasOwn(LONGEST, name)))
    return blobFault(`unknown field; the fields are ${FIELDS.join(', ')}`);
  for (const field of FIELDS) {
    const fault = textFault(field, Object.hasOwn(body, field) ? body[field] : undefined);
    if (fault !== undefined) return fault;
  }
  const { token_endpoint: endpoint, auth_method: method } = body;
  if (!isTokenEndpoint(String(endpoint)))
    return {
      ...{ code: 'invalid_url', field: 'token_endpoint' },
      message: 'an https URL of a public host, without a user name or fragment, is expected',
    };
  if (isSaid(method) && method !== 'basic' && method !== 'body')
    return { code: 'invalid_auth_method_value', field: 'auth_method', message: 'basic or body is expected' };
  return undefined;
}

function textFault(field: keyof OAuthClient, value: unknown): OAuthClientFault | undefined {
  const fault = (code: OAuthClientFault['code'], message: string) => ({ code, field, message });
  if (!isSaid(value)) return NEEDED.has(field) ? fault('missing_field', `${field} is missing`) : undefined;
  if (typeof value !== 'string') return fault('invalid_field_type', `${field} must be a string`);
  if (value.length > LONGEST[field])
    return fault('field_too_long', `${field} must have at most ${LONGEST[field]} characters`);
  if (!PRINTABLE.test(value))
    return fault('invalid_field_type', `${field} may contain only printable ASCII characters`);
  if (value.startsWith('$ENV:'))
    return fault('invalid_env_reference', 'environment variables are not supported; send the value itself');
  return undefined;
}

function blobFault(message: string): OAuthClientFault {
  return { code: 'invalid_blob_shape', field: 'oauth_client_credentials', message };
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** IP addresses and local names are refused here; whether the host is public is checked when connecting. */
function isTokenEndpoint(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:') return false;
  return url.username === '' && url.password === '' && url.hash === '' && parseDomain(url.hostname).ok;
}
