import { createPrivateKey } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { calculateJwkThumbprint } from 'jose';
import { RegistryError } from '../errors.ts';
import { activeKey, listSigningKeys } from './key-folder.ts';
import { readJwkSet } from './key-source.ts';
import { publicJwk, readSigningKey, type SigningKey } from './private-key.ts';
import { ALGORITHMS, PURPOSE_MEMBERS, PURPOSES } from './profile.ts';
import type { Jwk } from './public-key.ts';

/** What a registry signs badges with, and what it publishes for those who verify them. */
export interface BadgeKeys {
  readonly signer: SigningKey;
  /** Public members only; the signer's is among them. */
  readonly published: readonly Jwk[];
}

/** Keys of an operator, with the files that their private parts are in. */
export interface LoadedBadgeKeys extends BadgeKeys {
  readonly files: readonly string[];
}

/**
 * The keys that REGISTRY_BADGE_KEYS names: a JWK set with private keys, of which the first signs; or a folder of
 * `agent-registry keys generate --kind badge`, of which the newest signs that is not retired. The public parts of all are
 * published, so that tokens of the key before can be verified until they end.
 *
 * @throws RegistryError `input_invalid` or `not_found` with the place; never with any of a key
 */
export async function loadBadgeKeys(path: string): Promise<LoadedBadgeKeys> {
  const found = await stat(path).catch(unreadable(path));
  const stored = found.isDirectory() ? await ofFolder(path) : await ofFile(path);
  const keys = await keysOf(
    path,
    stored.map(({ jwk }) => jwk),
  );
  return { ...keys, files: [...new Set(stored.map(({ file }) => file))] };
}

/** The key that 32 secret bytes give, always the same one: for a registry that was given none. */
export async function badgeKeysOf(secret: Uint8Array): Promise<BadgeKeys> {
  const { kty, crv, x, d } = createPrivateKey({
    key: Buffer.concat([PKCS8_ED25519, secret]),
    format: 'der',
    type: 'pkcs8',
  }).export({ format: 'jwk' }) as Readonly<Record<'kty' | 'crv' | 'x' | 'd', string>>;
  const thumbprint = await calculateJwkThumbprint({ kty, crv, x });
  const kid = `badge-${thumbprint.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 12)}`;
  const jwk = { kty, crv, x, d, kid, [PURPOSE_MEMBERS.proto]: PURPOSES.badge };
  return { signer: await readSigningKey(jwk), published: [publishedJwk(jwk)] };
}

/** What stands before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410, section 7). */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

interface Stored {
  readonly file: string;
  readonly jwk: Jwk;
}

async function ofFile(file: string): Promise<readonly Stored[]> {
  const set = readJwkSet(await readFile(file, 'utf8').catch(unreadable(file)));
  if (set === undefined || set.length === 0) throw unusable(file, 'it is no JWK set');
  return set.map((jwk) => ({ file, jwk }));
}

/** The signing one first. */
async function ofFolder(path: string): Promise<readonly Stored[]> {
  const keys = (await listSigningKeys(path)).filter(({ jwk }) => isForBadges(jwk));
  const active = activeKey(keys, PURPOSES.badge);
  if (active === undefined) throw unusable(path, 'it has no key for badges that is in use');
  return [active, ...keys.filter((key) => key !== active)];
}

async function keysOf(path: string, jwks: readonly Jwk[]): Promise<BadgeKeys> {
  const signers = [];
  for (const [index, jwk] of jwks.entries()) {
    const place = typeof jwk.kid === 'string' ? `the key ${jwk.kid.slice(0, 100)}` : `key ${index + 1}`;
    if (!isForBadges(jwk)) throw unusable(path, `${place} does not say that it is for ${PURPOSES.badge}`);
    signers.push(await signerOf(path, place, jwk));
  }
  const [signer] = signers;
  const kids = new Set(signers.map(({ keyid }) => keyid));
  if (signer === undefined || kids.size < signers.length)
    throw unusable(path, 'two of its keys have one kid');
  return { signer, published: jwks.map(publishedJwk) };
}

/** With a public part of another key it is refused here, as nothing that it signs would hold. */
async function signerOf(path: string, place: string, jwk: Jwk): Promise<SigningKey> {
  const signer = await readSigningKey(jwk).catch((cause: Error) => {
    throw unusable(path, `${place}: ${cause.message.split(': ').at(-1)}`);
  });
  if (signer.alg === 'ed25519') return signer;
  throw unusable(path, `${place} is no Ed25519 key`);
}

function publishedJwk(jwk: Jwk): Jwk {
  return publicJwk({ ...jwk, alg: ALGORITHMS.ed25519.jws[0] });
}

function isForBadges(jwk: Jwk): boolean {
  return Object.values(PURPOSE_MEMBERS).some((member) => jwk[member] === PURPOSES.badge);
}

function unreadable(path: string): (cause: unknown) => never {
  return (cause) => {
    throw unusable(path, 'it cannot be read', cause);
  };
}

function unusable(path: string, reason: string, cause?: unknown): RegistryError {
  return new RegistryError('input_invalid', `the badge keys in ${path} cannot be used: ${reason}`, {
    cause,
    hint: 'REGISTRY_BADGE_KEYS names a folder of `agent-registry keys generate --kind badge --keys FOLDER`, or a JWK set of such keys',
  });
}
