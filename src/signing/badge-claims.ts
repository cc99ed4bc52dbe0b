/**
 * What a badge's token says, under the names of RFC 7519 and of the specification's verified badge (2.7). Times are
 * epoch seconds, but for `verified_at`.
 */
export interface BadgeClaims {
  /** The registry: its public address, or `urn:uuid:` with the id of its records. */
  readonly iss: string;
  /** The agent's canonical URL. */
  readonly sub: string;
  readonly iat: number;
  readonly exp: number;
  readonly role: string;
  /** `major.minor`. */
  readonly verified_protocol_version: string;
  readonly proto_version: string;
  /** RFC 3339. */
  readonly verified_at: string;
  readonly verified_specialisms: readonly string[];
  /** `spec`, `live`. */
  readonly verification_modes: readonly string[];
}

/** The claims when all are there and of their type; otherwise the name of the first that is not. */
export function readBadgeClaims(claims: Readonly<Record<string, unknown>>): BadgeClaims | string {
  const wrong = Object.keys(CLAIMS).find((name) => {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    return !CLAIMS[name]?.(value);
  });
  return wrong ?? (claims as unknown as BadgeClaims);
}

type Rule = (value: unknown) => boolean;

const text: Rule = (value) => typeof value === 'string' && value !== '';
const texts: Rule = (value) => Array.isArray(value) && value.length > 0 && value.every(text);
const seconds: Rule = (value) => Number.isSafeInteger(value) && (value as number) >= 0;

/** In the order in which they are looked at. */
const CLAIMS: Readonly<Record<string, Rule>> = {
  iss: text,
  sub: text,
  iat: seconds,
  exp: seconds,
  role: text,
  verified_protocol_version: text,
  proto_version: text,
  verified_at: (value) => text(value) && !Number.isNaN(Date.parse(value as string)),
  verified_specialisms: texts,
  verification_modes: texts,
};
