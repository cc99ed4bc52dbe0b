/** Of a token; a shorter one could occur in responses by chance, and could not be redacted. */
const TOKEN_CHARACTERS = { min: 8, max: 4_096 } as const;

/** Why a text cannot be sent as a bearer token (RFC 6750, section 2.1) or is too short or long; undefined when it can. */
export function tokenFault(text: string): string | undefined {
  const { min, max } = TOKEN_CHARACTERS;
  if (text.length < min || text.length > max) return `a token must have ${min} to ${max} characters`;
  if (/^[A-Za-z0-9\-._~+/]+=*$/.test(text)) return undefined;
  return 'a bearer token may contain only letters, digits and -._~+/, and = at its end';
}
