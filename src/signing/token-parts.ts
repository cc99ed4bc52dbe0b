import { isObject } from '../base/json.ts';
import { ambiguityOf } from './ambiguous-json.ts';

/*
 * The form that our tokens share: a JWS in its compact form (RFC 7515, section 7.1) whose parts are written in the one
 * way there is, so that no byte of it can be changed without showing.
 */

/** Characters of a token at most. */
export const MAX_TOKEN = 8_192;

export interface TokenHeader {
  readonly typ: unknown;
  readonly alg: unknown;
  readonly kid: unknown;
}

export interface TokenParts {
  readonly header: TokenHeader;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The header and claims of a token, unverified, or the reason why it is malformed. */
export function readParts(token: string): TokenParts | string {
  if (token.length > MAX_TOKEN) return `it is longer than ${MAX_TOKEN} characters`;
  const parts = token.split('.');
  if (parts.length !== 3 || parts.some((part) => !isExact(part)))
    return 'it is not three base64url parts separated by dots';
  const [header, claims] = parts.slice(0, 2).map(objectOf);
  if (header === undefined || claims === undefined) return 'its header or its claims are not a JSON object';
  if (Object.hasOwn(header, 'crit')) return 'its header requires extensions, which are not supported';
  return { header: { typ: header.typ, alg: header.alg, kid: header.kid }, claims };
}

/** Text with bits left over at its end stands for the same bytes as another text. */
function isExact(part: string): boolean {
  return part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;
}

/** Undefined for anything but a JSON object with unique names, because two readers could see different claims. */
function objectOf(part: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = Buffer.from(part, 'base64url');
  if (ambiguityOf(bytes) !== undefined) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The two first parts of a token, as they are signed. */
export function signedText(header: object, claims: object): string {
  return [header, claims].map((part) => base64url(Buffer.from(JSON.stringify(part)))).join('.');
}

export function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
