/** Of a token; a shorter one would stand in answers by chance, and could not be taken out of them. */
const TOKEN_CHARACTERS = { min: 8, max: 4_096 } as const;

/** Why a text cannot be sent as a bearer token (RFC 6750, section 2.1) or is too short or long; undefined when it can. */
export function tokenFault(text: string): string | undefined {
  const { min, max } = TOKEN_CHARACTERS;
  if (text.length < min || text.length > max) return `a token has ${min} to ${max} characters`;
  if (/^[A-Za-z0-9\-._~+/]+=*$/.test(text)) return undefined;
  return 'a bearer token has letters, digits and -._~+/ only, then perhaps =';
}
