import type { Config } from '../config.ts';
import { RegistryError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Records } from '../ports/records.ts';
import type { KeptHead, LogHead } from '../records/owners/audit.ts';
import { type HeadClaims, readHead, signHead } from '../signing/audit-head.ts';
import { type BadgeKeys, loadAuditKeys } from '../signing/badge-keys.ts';
import { fixedKeys } from '../signing/key-source.ts';
import { requireSecret } from '../signing/secret-file.ts';

/** The audit log with the keys of the configuration. */
export interface SignedAudit {
  /**
   * Signs the head of this moment and keeps it; undefined while the log is empty. Without keys it is not signed. Rejects with a
   * RegistryError `input_invalid` when another head is kept of the same record: one of the two was put there.
   */
  takeHead(): Promise<KeptHead | undefined>;
  /** Signs a checkpoint, which is not kept yet. Rejects with a RegistryError `usage` without keys. */
  checkpoint(at: LogHead): Promise<KeptHead>;
  /**
   * Reads a head that was kept elsewhere, as `audit head` printed it. Rejects with a RegistryError `input_invalid` for what
   * is none, for one with a wrong signature, and for one of other records.
   */
  readHead(text: string): Promise<SignedHead>;
}

/** What a token says, and whether it is signed by a key that is known here. */
export type SignedHead = Pick<HeadClaims, 'kind' | keyof LogHead> & { readonly isVerified: boolean };

/** Rejects with a RegistryError `input_invalid` or `keys_unavailable` when the keys cannot be used. */
export async function composeAudit(
  { auditKeys: setting }: Pick<Config, 'auditKeys'>,
  records: Pick<Records, 'audit' | 'id'>,
  clock: Clock,
): Promise<SignedAudit> {
  const load = async () => (setting === '' ? undefined : keysOf(setting));
  const keys = await load();
  const iss = `urn:uuid:${await records.id()}`;
  const signed = async (kind: KeptHead['kind'], { record, hash }: LogHead): Promise<KeptHead> => {
    const at = clock.now();
    const claims: HeadClaims = { iss, kind, record, hash, iat: Math.floor(at / 1_000) };
    const current = await load(); // anew: a rotation needs no restart
    return {
      ...{ kind, record, hash, at },
      ...(current !== undefined && { token: await signHead(current.signer, claims) }),
    };
  };
  const readSigned = async (text: string): Promise<SignedHead> => {
    const { claims, signature } = await readHead(text, fixedKeys(keys?.published ?? []));
    if (claims.iss !== iss)
      throw new RegistryError(
        'input_invalid',
        `the head belongs to the records ${claims.iss}, not to ${iss}`,
      );
    const { kind, record, hash } = claims;
    return { kind, record, hash, isVerified: signature === 'holds' };
  };
  // whoever can write to the records can put a head there, and it would be handed out as ours
  const isOurs = async ({ kind, record, hash, token }: KeptHead): Promise<boolean> => {
    if (token === undefined || keys === undefined) return token === undefined && keys === undefined;
    const signed = await readSigned(token).catch(() => undefined);
    return (
      signed?.isVerified === true && signed.kind === kind && signed.record === record && signed.hash === hash
    );
  };
  return {
    async takeHead() {
      const head = await records.audit.head();
      if (head.record === 0) return undefined;
      const known = (await records.audit.keptHeads()).find(
        ({ kind, record }) => kind === 'head' && record === head.record,
      );
      if (known !== undefined && known.hash !== head.hash) throw contradicted(head);
      if (known !== undefined && (await isOurs(known))) return known;
      const taken = await signed('head', head);
      await records.audit.keepHead(taken);
      return taken;
    },
    checkpoint(at) {
      if (keys === undefined) throw noKeys();
      return signed('checkpoint', at);
    },
    readHead: readSigned,
  };
}

async function keysOf(setting: string): Promise<BadgeKeys> {
  const { files, ...keys } = await loadAuditKeys(setting);
  for (const file of files) await requireSecret(file, 'the audit keys');
  return keys;
}

function contradicted({ record }: LogHead): RegistryError {
  return new RegistryError(
    'input_invalid',
    `a different head is stored for record ${record} of the audit log`,
    {
      hint: 'one of the two was changed: run agent-registry audit verify',
    },
  );
}

function noKeys(): RegistryError {
  return new RegistryError('usage', 'REGISTRY_AUDIT_KEYS is not set, so no checkpoint can be signed', {
    hint: 'create a key with `agent-registry keys generate --kind audit --keys FOLDER`, and set REGISTRY_AUDIT_KEYS to FOLDER',
  });
}
