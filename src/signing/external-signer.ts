import { compactVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { RegistryError } from '../errors.ts';
import { askCommand } from './key-command.ts';
import type { SigningKey } from './private-key.ts';
import { ALGORITHMS, type OwnKind, PURPOSES } from './profile.ts';
import { type Jwk, readPublicKey } from './public-key.ts';

/** Signatures that are asked for at once, and that wait for them: a key service is slow, and strangers cause them. */
const [AT_ONCE, MAX_WAITING] = [8, 200];
/** Signatures kept. A badge's token is the same for an hour. */
const MAX_KEPT = 10_000;

/**
 * A key whose private part a command keeps: `COMMAND sign KID` reads the bytes and prints the signature, 64 bytes in
 * base64url. What it prints is verified before it is used, and kept, so that the same bytes are signed once.
 *
 * `sign` rejects with a RegistryError `keys_unavailable` when the command fails or too many wait for it.
 */
export async function externalSigner(
  jwk: Jwk,
  command: readonly string[],
  kind: OwnKind,
): Promise<SigningKey | string> {
  const key = await readPublicKey(jwk, { kind, alg: 'ed25519', pinned: false });
  if (typeof key === 'string') return key;
  const kid = String(jwk.kid);
  const kept = new LRUCache<string, Promise<Uint8Array>>({ max: MAX_KEPT });
  const lanes = Array.from({ length: AT_ONCE }, () => Promise.resolve<unknown>(undefined));
  let waiting = 0;
  const signed = async (data: Uint8Array): Promise<Uint8Array> => {
    const text = (await askCommand([...command, 'sign', kid], data)).trim();
    const token = `${Buffer.from(data).toString()}.${text}`;
    const holds = await compactVerify(token, key.key).then(
      () => true,
      () => false,
    );
    if (!holds) throw refused(`its output is not a signature by ${kid}`);
    return new Uint8Array(Buffer.from(text, 'base64url'));
  };
  const inTurn = (data: Uint8Array): Promise<Uint8Array> => {
    if (waiting >= MAX_WAITING) return Promise.reject(refused(`${waiting} signatures are waiting for it`));
    const lane = waiting++ % AT_ONCE;
    const made = (lanes[lane] as Promise<unknown>).then(() => signed(data)).finally(() => (waiting -= 1));
    lanes[lane] = made.catch(() => {});
    return made;
  };
  return {
    keyid: kid,
    alg: 'ed25519',
    purpose: PURPOSES[kind],
    vocabulary: 'proto',
    sign(data) {
      const name = Buffer.from(data).toString('base64');
      const known = kept.get(name);
      if (known !== undefined) return known;
      const made = inTurn(data);
      kept.set(name, made);
      made.catch(() => kept.delete(name));
      return made;
    },
  };
}

function refused(why: string): RegistryError {
  return new RegistryError(
    'keys_unavailable',
    `the command that signs with ${ALGORITHMS.ed25519.jws[0]} failed: ${why}`,
    {
      hint: 'the command is called as COMMAND sign KID, with the bytes to sign on stdin',
      retryable: true,
    },
  );
}
