import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose';
import { RegistryError } from '../errors.ts';
import type { SealingKey } from './sealing-keys.ts';

/** Whose a sealed text is; it stands in the sealed text's header and opens for nobody else. */
export interface SealedOwner {
  /** Canonical URL. */
  readonly agent: string;
  readonly member: string;
}

/** What `typ` says, so that nothing else that is sealed with such a key can stand in for a credential. */
const TYPE = 'test-credential+jwe';
const [KEY_MANAGEMENT, ENCRYPTION] = ['dir', 'A256GCM'] as const;

/**
 * Seals a text with the first of the keys, as a JWE in its compact form (RFC 7516, section 7.1). Its header names the
 * key and the owner and is authenticated: the text cannot be moved to another agent or member.
 */
export async function seal(keys: readonly SealingKey[], owner: SealedOwner, text: string): Promise<string> {
  const [key] = keys;
  if (key === undefined) throw new TypeError('a text is sealed with a key');
  const { agent, member } = owner;
  const header = { alg: KEY_MANAGEMENT, enc: ENCRYPTION, typ: TYPE, kid: key.kid, agent, member };
  return new CompactEncrypt(Buffer.from(text)).setProtectedHeader(header).encrypt(key.bytes);
}

/**
 * Opens what was sealed for this owner, with whichever of the keys it was. Throws a RegistryError
 * `credential_unreadable` that says why it does not open, and never holds any of it.
 */
export async function open(keys: readonly SealingKey[], owner: SealedOwner, sealed: string): Promise<string> {
  const header = headerOf(sealed);
  if (header === undefined) throw unreadable(owner, 'the stored value is not an encrypted credential');
  if (header.typ !== TYPE || header.agent !== owner.agent || header.member !== owner.member)
    throw unreadable(owner, 'it was encrypted for another agent or member');
  const kid = String(header.kid).slice(0, 100);
  const key = keys.find((one) => one.kid === kid);
  if (key === undefined)
    throw unreadable(owner, `it was encrypted with the key ${kid}, which is not in the file`);
  try {
    const { plaintext } = await compactDecrypt(sealed, key.bytes, {
      keyManagementAlgorithms: [KEY_MANAGEMENT],
      contentEncryptionAlgorithms: [ENCRYPTION],
    });
    return Buffer.from(plaintext).toString();
  } catch {
    throw unreadable(owner, `the key ${kid} does not decrypt it: the key or the credential was changed`);
  }
}

/** The name of the key that a text was sealed with; undefined when it is none. */
export function sealedWith(sealed: string): string | undefined {
  const kid = headerOf(sealed)?.kid;
  return typeof kid === 'string' ? kid : undefined;
}

function headerOf(sealed: string): ReturnType<typeof decodeProtectedHeader> | undefined {
  try {
    return decodeProtectedHeader(sealed);
  } catch {
    return undefined;
  }
}

function unreadable({ agent }: SealedOwner, reason: string): RegistryError {
  return new RegistryError(
    'credential_unreadable',
    `the test credential of ${agent} cannot be decrypted: ${reason}`,
    {
      hint: 'restore its key in the REGISTRY_CREDENTIAL_KEYS file, or ask the owner to store the credential again',
    },
  );
}
