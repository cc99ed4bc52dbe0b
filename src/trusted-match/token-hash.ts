import { hash as digestOf, randomBytes } from 'node:crypto';
import { RegistryError } from '../errors.ts';

const MIN_KEY_BYTES = 32;
/** Of SHA-256, bytes. */
const BLOCK = 64;
const DIGEST = 32;
/** Of the longest token of either form, characters. */
const MAX_TOKEN = 512;

/** The keyed hash of a token: the only form of it that is kept. */
export type HashToken = (token: string) => string;

/**
 * Hashes tokens with HMAC-SHA-256 (RFC 2104, section 2) and a key of the provider. Without a key one is made for this
 * process: what was stored under it means nothing afterwards. Throws `usage` for a key that is too short to be a secret.
 */
export function createTokenHash(key: Uint8Array = randomBytes(MIN_KEY_BYTES)): HashToken {
  if (key.length < MIN_KEY_BYTES)
    throw new RegistryError('usage', `the key that tokens are hashed with has ${key.length} bytes`, {
      hint: `give one of ${MIN_KEY_BYTES} random bytes or more`,
    });
  // two plain digests take a third of the time of an Hmac object for each token
  const block = key.length > BLOCK ? digestOf('sha256', key, 'buffer') : key;
  const inner = Buffer.alloc(BLOCK + MAX_TOKEN, 0x36);
  const outer = Buffer.alloc(BLOCK + DIGEST, 0x5c);
  block.forEach((byte, at) => {
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  });
  return (token) => {
    if (token.length > inner.length - BLOCK) throw new RangeError('a token has 512 characters at most');
    const end = BLOCK + inner.write(token, BLOCK, 'latin1');
    outer.set(digestOf('sha256', inner.subarray(0, end), 'buffer'), BLOCK);
    return digestOf('sha256', outer, 'base64url');
  };
}
