import type { JwkSet } from './key-source.ts';
import { ALGORITHMS, KEY_KINDS, type KeyKind, type SignatureAlgorithm } from './profile.ts';
import { readPublicKey } from './public-key.ts';

const MOST_KEYS = 20;

/** What can be verified with a published set, and why nothing with others of its keys: one sentence each. */
export interface UsableKeys {
  readonly kinds: readonly KeyKind[];
  readonly faults: readonly string[];
}

/** Judges each key of a set as whoever verifies something with it would. */
export async function usableKeys(set: JwkSet): Promise<UsableKeys> {
  const kinds = new Set<KeyKind>();
  const faults: string[] = [];
  for (const jwk of set.slice(0, MOST_KEYS)) {
    const names = Object.keys(ALGORITHMS) as SignatureAlgorithm[];
    const alg = names.find((name) => ALGORITHMS[name].crv === jwk.crv) ?? 'ed25519';
    const reads = KEY_KINDS.map(async (kind) => {
      const read = await readPublicKey(jwk, { kind, alg, pinned: false, published: set });
      return typeof read === 'string' ? { fault: read } : { kind };
    });
    const told = await Promise.all(reads);
    for (const one of told) if (one.kind !== undefined) kinds.add(one.kind);
    const [first] = told;
    if (first?.fault !== undefined && told.every(({ kind }) => kind === undefined)) faults.push(first.fault);
  }
  return { kinds: [...kinds], faults: faults.slice(0, 5) };
}
