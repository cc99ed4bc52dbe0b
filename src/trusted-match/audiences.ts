import type { HashToken } from './token-hash.ts';

/** Which audiences a token, as its hash, belongs to. */
export interface Audiences {
  of(tokenHash: string): readonly string[];
}

const NONE: readonly string[] = [];

/** Hashes the members of each audience at once; the tokens themselves are not kept. */
export function createAudiences(
  members: Readonly<Record<string, readonly string[]>>,
  hash: HashToken,
): Audiences {
  const byToken = new Map<string, string[]>();
  for (const [audience, tokens] of Object.entries(members)) {
    for (const token of new Set(tokens)) {
      const key = hash(token);
      const known = byToken.get(key);
      if (known === undefined) byToken.set(key, [audience]);
      else known.push(audience);
    }
  }
  return { of: (tokenHash) => byToken.get(tokenHash) ?? NONE };
}
