import { createPrivateKey } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { calculateJwkThumbprint } from 'jose';
import { RegistryError } from '../errors.ts';
import { externalSigner } from './external-signer.ts';
import { askCommand, keyCommand } from './key-command.ts';
import { activeKey, listSigningKeys, publishedKeys, revokedKids, type StoredKey } from './key-folder.ts';
import { readJwkSet } from './key-source.ts';
import { publicJwk, readSigningKey, type SigningKey } from './private-key.ts';
import { ALGORITHMS, type OwnKind, PURPOSE_MEMBERS, PURPOSES } from './profile.ts';
import type { Jwk } from './public-key.ts';

/** What a registry signs badges with, and what it publishes for those who verify them. */
export interface BadgeKeys {
  readonly signer: SigningKey;
  /** Public members only; the signer's is among them. */
  readonly published: readonly Jwk[];
  /** The names of keys that were taken back; absent: none. */
  readonly revoked?: readonly string[];
}

/** Keys of an operator, with the files that their private parts are in; none for those that a command keeps. */
export interface LoadedBadgeKeys extends BadgeKeys {
  readonly files: readonly string[];
}

/**
 * So long a new key is published before it signs, where there is one to sign meanwhile: every process has read it by
 * then, and no cache has a set without it. Milliseconds.
 */
const PUBLISHED_AHEAD_MS = 6 * 60_000;
/** A retired key is published until its last token has ended, milliseconds. */
export const BADGE_KEY_OVERLAP_MS = 86_400_000 + PUBLISHED_AHEAD_MS;

/**
 * The keys that REGISTRY_BADGE_KEYS names: a JWK set with private keys, of which the first signs; a folder of
 * `agent-registry keys generate --kind badge`, of which the newest signs that is not retired; or a command that prints such
 * a set, and signs itself where it prints public parts alone. The public parts are published until no token needs them.
 *
 * @param now epoch milliseconds: a new key of a folder then signs once it has been published for a while; absent: at once
 * @throws RegistryError `input_invalid`, `not_found` or `keys_unavailable` with the place; never with any of a key
 */
export function loadBadgeKeys(path: string, now?: number): Promise<LoadedBadgeKeys> {
  return loadKeys({ path, kind: 'badge' }, now);
}

/** The keys that REGISTRY_AUDIT_KEYS names, in the same forms; retired ones stay, as old heads are verified with them. */
export function loadAuditKeys(path: string): Promise<LoadedBadgeKeys> {
  return loadKeys({ path, kind: 'audit' });
}

/** What a setting names. */
interface Place {
  readonly path: string;
  readonly kind: OwnKind;
}

async function loadKeys(place: Place, now?: number): Promise<LoadedBadgeKeys> {
  const { path } = place;
  const command = keyCommand(path);
  if (command !== undefined) {
    const set = setOf(place, await askCommand(command));
    return { ...(await keysOf(place, set, command)), files: [] };
  }
  const found = await stat(path).catch(unreadable(place));
  if (!found.isDirectory()) {
    const set = setOf(place, await readFile(path, 'utf8').catch(unreadable(place)));
    return { ...(await keysOf(place, set)), files: [path] };
  }
  const stored = await ofFolder(place, now);
  const jwks = stored.map(({ jwk }) => jwk);
  const revoked = await revokedKids(path);
  return { ...(await keysOf(place, jwks)), revoked, files: stored.map(({ file }) => file) };
}

/** The key that 32 secret bytes give for one purpose, always the same one: for a registry that was given none. */
export async function derivedKeys(secret: Uint8Array, kind: 'badge' | 'webhook'): Promise<BadgeKeys> {
  const { kty, crv, x, d } = createPrivateKey({
    key: Buffer.concat([PKCS8_ED25519, secret]),
    format: 'der',
    type: 'pkcs8',
  }).export({ format: 'jwk' }) as Readonly<Record<'kty' | 'crv' | 'x' | 'd', string>>;
  const thumbprint = await calculateJwkThumbprint({ kty, crv, x });
  const kid = `${kind}-${thumbprint.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 12)}`;
  const jwk = { kty, crv, x, d, kid, [PURPOSE_MEMBERS.proto]: PURPOSES[kind] };
  return { signer: await readSigningKey(jwk), published: [publishedJwk(jwk)] };
}

/** What stands before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410, section 7). */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

function setOf(place: Place, text: string): readonly Jwk[] {
  const set = readJwkSet(text);
  if (set === undefined || set.length === 0) throw unusable(place, 'it is not a JWK set');
  return set;
}

/** The signing one first. */
async function ofFolder(place: Place, now: number | undefined): Promise<readonly StoredKey[]> {
  const keys = (await listSigningKeys(place.path)).filter(({ jwk }) => isFor(place.kind, jwk));
  const active = activeKey(keys, PURPOSES[place.kind]);
  if (active === undefined) throw unusable(place, `it has no key for ${KEPT_FOR[place.kind]} that is in use`);
  const signer = now === undefined ? active : signingKey(keys, active, now);
  const published = new Set(
    publishedKeys(keys, now ?? Number.NEGATIVE_INFINITY, BADGE_KEY_OVERLAP_MS).map(({ kid }) => kid),
  );
  return [signer, ...keys.filter((key) => key !== signer && published.has(key.kid))];
}

/** While the newest key is not known everywhere, the one before it signs, which was retired for it. */
function signingKey(keys: readonly StoredKey[], newest: StoredKey, now: number): StoredKey {
  const ahead = now - PUBLISHED_AHEAD_MS;
  const moment = (value: unknown) => Date.parse(String(value)) || 0;
  if (moment(newest.jwk.created_at) <= ahead) return newest;
  const known = keys.filter(({ jwk }) => jwk !== newest.jwk && moment(jwk.created_at) <= ahead);
  return known.find(({ jwk }) => jwk.retired_at === undefined || moment(jwk.retired_at) > ahead) ?? newest;
}

async function keysOf(place: Place, all: readonly Jwk[], command?: readonly string[]): Promise<BadgeKeys> {
  const jwks = all.filter((jwk) => jwk.revoked_at === undefined);
  const signers = [];
  for (const [index, jwk] of jwks.entries()) {
    const name = typeof jwk.kid === 'string' ? `the key ${jwk.kid.slice(0, 100)}` : `key ${index + 1}`;
    const purpose = PURPOSES[place.kind];
    if (!isFor(place.kind, jwk)) throw unusable(place, `${name} is not declared for ${purpose}`);
    signers.push(await signerOf(place, name, jwk, command));
  }
  const [signer] = signers;
  if (signer === undefined) throw unusable(place, 'all of its keys are revoked');
  if (new Set(signers.map(({ keyid }) => keyid)).size < signers.length)
    throw unusable(place, 'two of its keys have the same kid');
  const revoked = all.filter((jwk) => !jwks.includes(jwk)).map(({ kid }) => String(kid));
  return { signer, published: jwks.map(publishedJwk), ...(revoked.length > 0 && { revoked }) };
}

/** With a public part of another key it is refused here, as nothing that it signs would hold. */
async function signerOf(
  place: Place,
  name: string,
  jwk: Jwk,
  command: readonly string[] | undefined,
): Promise<SigningKey> {
  if (command !== undefined && jwk.d === undefined) {
    const signer = await externalSigner(publishedJwk(jwk), command, place.kind);
    if (typeof signer !== 'string') return signer;
    throw unusable(place, `${name}: ${signer}`);
  }
  const signer = await readSigningKey(jwk).catch((cause: Error) => {
    throw unusable(place, `${name}: ${cause.message.split(': ').at(-1)}`);
  });
  if (signer.alg === 'ed25519') return signer;
  throw unusable(place, `${name} is not an Ed25519 key`);
}

function publishedJwk(jwk: Jwk): Jwk {
  return publicJwk({ ...jwk, alg: ALGORITHMS.ed25519.jws[0] });
}

const KEPT_FOR = { badge: 'badges', audit: 'the audit log' } as const;

function isFor(kind: OwnKind, jwk: Jwk): boolean {
  return Object.values(PURPOSE_MEMBERS).some((member) => jwk[member] === PURPOSES[kind]);
}

function unreadable(place: Place): (cause: unknown) => never {
  return (cause) => {
    throw unusable(place, 'it cannot be read', cause);
  };
}

function unusable({ path, kind }: Place, reason: string, cause?: unknown): RegistryError {
  return new RegistryError('input_invalid', `the ${kind} keys in ${path} cannot be used: ${reason}`, {
    cause,
    hint: `set REGISTRY_${kind.toUpperCase()}_KEYS to a folder of \`agent-registry keys generate --kind ${kind} --keys FOLDER\`, a JWK set of such keys, or a command`,
  });
}
