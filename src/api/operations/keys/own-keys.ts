import {
  API_SCOPES,
  type ApiScope,
  isKeyLabel,
  KEY_DAYS,
  MAX_KEY_LABEL,
  readScopes,
} from '../../../domain/api-scope.ts';
import { newApiKey } from '../../../owners/secrets.ts';
import type { ApiKeyStore, OwnKey } from '../../../records/owners/keys.ts';
import { readMembers } from '../../body.ts';
import { invalidKey, type MemberViewer } from '../../callers.ts';
import { keyActor } from '../../owner-only.ts';
import { HttpProblem, invalidValue } from '../../problem.ts';
import {
  type ApiKeyRecord,
  apiKeyRecord,
  type RevokedKeyRecord,
  revokedKeyRecord,
} from '../../render/api-key.ts';

const DAY_MS = 86_400_000;
/** Valid keys of one member; the operator has no limit. */
export const MOST_KEYS = 50;
/** Revoked and expired keys in a list. */
export const MOST_INACTIVE = 20;

type KeyStore = Pick<ApiKeyStore, 'listOwn' | 'createOwn' | 'revokeOwn'>;

/** The keys of a member: the valid ones, newest first, then the newest of the others. */
export function keysOfMember(keys: KeyStore, viewer: MemberViewer, now: number): Promise<readonly OwnKey[]> {
  return keys.listOwn(viewer, { inactive: MOST_INACTIVE }, now);
}

/** What a new key is to have. */
export interface KeyRequest {
  readonly label?: string;
  readonly scopes?: readonly ApiScope[];
  readonly days?: number;
}

/** Creates a key for the member, by the key of the viewer. Throws HttpProblems. */
export async function makeKey(
  keys: KeyStore,
  viewer: MemberViewer,
  { days, ...request }: KeyRequest,
  now: number,
): Promise<ApiKeyRecord & { readonly key: string }> {
  const { id, key, hash } = newApiKey();
  const end = days === undefined ? {} : { expiresAt: now + days * DAY_MS };
  const wanted = { id, hash, actor: keyActor(viewer), max: MOST_KEYS, ...request, ...end };
  const outcome = await keys.createOwn(wanted, now);
  if (outcome.ok) return { key, ...apiKeyRecord(outcome.key) };
  if (outcome.reason === 'key_revoked') throw invalidKey();
  if (outcome.reason === 'more_scopes')
    throw invalidValue('scopes', 'an API key can only grant the scopes that it has itself', viewer.scopes);
  throw new HttpProblem(
    'too_many_keys',
    `this member has ${MOST_KEYS} valid API keys, which is the limit; revoke an unused one`,
  );
}

/** Revokes a key that the key of the viewer manages, and all that it created. Throws HttpProblems. */
export async function revokeKey(
  keys: KeyStore,
  viewer: MemberViewer,
  id: string,
  now: number,
): Promise<RevokedKeyRecord> {
  const revoked = await keys.revokeOwn(id, keyActor(viewer), now);
  if (revoked === 'key_revoked') throw invalidKey();
  if (revoked === 'not_key_maker') throw notKeyMaker();
  if (revoked !== undefined) return revokedKeyRecord(revoked);
  throw new HttpProblem('not_found', 'your member has no such API key; send its id: ark_ and 16 characters', {
    parameter: 'id',
  });
}

function notKeyMaker(): HttpProblem {
  return new HttpProblem(
    'not_key_maker',
    'an API key can only revoke itself and the keys that it created; use the key that created this one, or ask the operator',
  );
}

/** Reads the body of a request for a key. Throws HttpProblems. */
export function readKeyRequest(body: unknown): KeyRequest {
  const { label, scopes, days } = readMembers(body, ['label', 'scopes', 'days']);
  return {
    ...(label !== undefined && { label: labelOf(label) }),
    ...(scopes !== undefined && { scopes: scopesOf(scopes) }),
    ...(days !== undefined && { days: daysOf(days) }),
  };
}

function labelOf(value: unknown): string {
  if (typeof value === 'string' && isKeyLabel(value)) return value;
  throw invalidValue('label', `a string of 1 to ${MAX_KEY_LABEL} characters on one line is expected`);
}

function scopesOf(value: unknown): readonly ApiScope[] {
  const isList = Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
  const read = isList ? readScopes(value) : undefined;
  if (read !== undefined && 'scopes' in read) return read.scopes;
  throw invalidValue('scopes', 'a list of one or more scopes is expected', API_SCOPES);
}

function daysOf(value: unknown): number {
  const { min, max } = KEY_DAYS;
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return value as number;
  throw invalidValue('days', `a whole number of days from ${min} to ${max} is expected`);
}
