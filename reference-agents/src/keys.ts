import { createPrivateKey } from 'node:crypto';
import {
  type Jwk,
  MESSAGE_KINDS,
  PURPOSE_MEMBERS,
  PURPOSES,
  type Purpose,
  publicJwk,
} from '@agent-registry/surface/agent-kit';
import type { Random } from './random.ts';

/** What stands before the 32 secret bytes in the PKCS #8 form of an Ed25519 key (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Badges are the registry's to sign. */
const KINDS = [...MESSAGE_KINDS, 'governance'] as const;

/** What an agent signs with, one private JWK for each purpose. They follow from the seed: of use in a sandbox only. */
export type AgentKeys = Readonly<Record<(typeof KINDS)[number], Jwk>>;

/** The keys of the agent on this host. */
export function agentKeys(random: Random, host: string): AgentKeys {
  return Object.fromEntries(
    KINDS.map((kind) => [kind, privateKey(random, `${host}#${kind}`, PURPOSES[kind])]),
  ) as unknown as AgentKeys;
}

/** What the agent publishes of them: a JWK set (RFC 7517), with the purpose of each key in both vocabularies. */
export function keySet(keys: AgentKeys): { readonly keys: readonly Jwk[] } {
  const published = Object.values(keys).map(publicJwk);
  return { keys: published.map((jwk) => ({ ...jwk, [PURPOSE_MEMBERS.adcp]: jwk[PURPOSE_MEMBERS.proto] })) };
}

function privateKey(random: Random, kid: string, purpose: Purpose): Jwk {
  const der = Buffer.concat([PKCS8_PREFIX, random.fork(kid).bytes(32)]);
  const { kty, crv, x, d } = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({
    format: 'jwk',
  });
  return {
    kty,
    crv,
    x,
    d,
    kid,
    alg: 'EdDSA',
    use: 'sig',
    key_ops: ['sign'],
    [PURPOSE_MEMBERS.proto]: purpose,
  };
}
