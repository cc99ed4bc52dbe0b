import { randomBytes } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose';
import { RegistryError } from '../errors.ts';
import { askCommand } from './key-command.ts';
import { createSecretFile, readSecretFile, replaceSecretFile } from './secret-file.ts';

/** A secret key that texts are sealed with: 256 bits for A256GCM. */
export interface SealingKey {
  readonly kid: string;
  readonly bytes: Uint8Array;
}

/** An oct key of a JWK Set (RFC 7517, section 5; RFC 7518, section 6.4). */
type OctJwk = Readonly<Record<string, unknown>>;

const KEY_BYTES = 32;
const MAX_KEYS = 100;
const MAX_CHARACTERS = 65_536;
const KID = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;
const MAKE_ONE = 'create one with `agent-registry keys generate --kind credential`';

/**
 * The sealing keys of a JWK Set file, in its order: the first seals, all open. Throws a RegistryError `input_invalid`
 * that names the file and the place, and never holds any of a key.
 */
export async function readSealingKeys(file: string): Promise<readonly SealingKey[]> {
  return keysOf(await readSet(file), file);
}

/** Makes a file with one key, readable for its owner alone; an existing one stays as it is. Gives the key's kid. */
export async function makeSealingKeys(file: string, now: number, kid?: string): Promise<string> {
  const jwk = newKey(now, kid);
  await createSecretFile(
    file,
    textOf([jwk]),
    '`agent-registry keys rotate --kind credential` adds a key to it',
  );
  return String(jwk.kid);
}

/** Puts a new key before those of a file, which stay: what they sealed can still be opened. Gives the new key's kid. */
export async function addSealingKey(file: string, now: number, kid?: string): Promise<string> {
  const before = await readSealingKeys(file);
  const jwk = newKey(now, kid);
  if (before.some((key) => key.kid === jwk.kid))
    throw unusable(`${file} already has a key ${String(jwk.kid)}`, 'choose another --kid');
  if (before.length === MAX_KEYS)
    throw unusable(`${file} has ${MAX_KEYS} keys`, 'remove unused keys with agent-registry agents reseal');
  await replaceSecretFile(file, textOf([jwk, ...(await readSet(file))]));
  return String(jwk.kid);
}

function newKey(now: number, kid = `credential-${randomBytes(6).toString('hex')}`) {
  if (!KID.test(kid))
    throw unusable(`'${kid.slice(0, 100)}' is not a valid kid`, 'use letters, digits, dots and dashes');
  const k = randomBytes(KEY_BYTES).toString('base64url');
  return { kty: 'oct', k, kid, alg: 'A256GCM', use: 'enc', created_at: new Date(now).toISOString() };
}

/** The same of what a command prints. Rejects with a RegistryError `keys_unavailable` too. */
export async function sealingKeysOfCommand(command: readonly string[]): Promise<readonly SealingKey[]> {
  const [name = ''] = command;
  return keysOf(setOf(await askCommand(command), name), name);
}

function keysOf(set: readonly OctJwk[], file: string): readonly SealingKey[] {
  return set.map((jwk, place) => readKey(jwk, place, file)).map(single(file));
}

async function readSet(file: string): Promise<readonly OctJwk[]> {
  return setOf(await readSecretFile(file, 'the credential keys', MAKE_ONE), file);
}

function setOf(text: string, file: string): readonly OctJwk[] {
  if (text.length > MAX_CHARACTERS) throw notASet(file, `it is longer than ${MAX_CHARACTERS} characters`);
  const set = parsed(text);
  if (set === undefined) throw notASet(file, 'it is not valid JSON');
  const { keys } = (typeof set === 'object' && set !== null ? set : {}) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) throw notASet(file, 'it has no list "keys"');
  if (keys.length === 0 || keys.length > MAX_KEYS)
    throw notASet(file, `it has ${keys.length} keys, not 1 to 100`);
  return keys;
}

function readKey(jwk: unknown, place: number, file: string): SealingKey {
  const fault = (reason: string) => unusable(`${file}: keys[${place}] cannot be used: ${reason}`, MAKE_ONE);
  if (typeof jwk !== 'object' || jwk === null) throw fault('it is not a JWK');
  const { kty, k, kid, alg, use } = jwk as OctJwk;
  if (kty !== 'oct') throw fault('its kty is not oct');
  if (typeof kid !== 'string' || !KID.test(kid))
    throw fault('it has no kid of letters, digits, dots and dashes');
  if (alg !== undefined && alg !== 'A256GCM' && alg !== 'dir') throw fault('its alg is not A256GCM');
  if (use !== undefined && use !== 'enc') throw fault('its use is not enc');
  if (typeof k !== 'string' || !/^[A-Za-z0-9_-]+$/.test(k)) throw fault('its k is not base64url');
  const bytes = new Uint8Array(Buffer.from(k, 'base64url'));
  if (bytes.length !== KEY_BYTES) throw fault(`it has ${bytes.length} bytes instead of ${KEY_BYTES}`);
  return { kid, bytes };
}

/** Refuses duplicate names and keys, which would break a rotation. */
function single(file: string) {
  return (key: SealingKey, place: number, keys: readonly SealingKey[]): SealingKey => {
    const same = ({ kid, bytes }: SealingKey) => kid === key.kid || Buffer.compare(bytes, key.bytes) === 0;
    const first = keys.findIndex(same);
    if (first === place) return key;
    const what = keys[first]?.kid === key.kid ? 'have the same kid' : 'are the same key';
    throw unusable(`${file}: keys[${first}] and keys[${place}] ${what}`, 'remove one of the two');
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // without the cause, which may quote a key
  }
}

function textOf(keys: readonly unknown[]): string {
  return `${JSON.stringify({ keys }, null, 2)}\n`;
}

function notASet(file: string, reason: string): RegistryError {
  return unusable(`the credential keys ${file} are not a JWK Set: ${reason}`, MAKE_ONE);
}

function unusable(message: string, hint: string): RegistryError {
  return new RegistryError('input_invalid', message, { hint });
}

/** The owner of a sealed text. The header of the text names it, and the text opens for no other owner. */
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
