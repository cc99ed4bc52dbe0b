import { RegistryError } from '../errors.ts';
import type { SealedCredential } from '../records/owners/agent-settings.ts';
import type { OwnerStore } from '../records/owners/owner-store.ts';
import { isSendable, type Sealer } from './credentials.ts';

/** One stored credential. */
export type StoredCredential = SealedCredential & { readonly agent: string };

const PAGE = 500;

/** All stored credentials by agent, read in pages. */
async function* storedCredentials(owners: Pick<OwnerStore, 'credentials'>): AsyncGenerator<StoredCredential> {
  for (let after: string | undefined; ; ) {
    const page = await owners.credentials({ limit: PAGE, ...(after !== undefined && { after }) });
    yield* page;
    after = page.at(-1)?.agent;
    if (page.length < PAGE) return;
  }
}

/** The result of sealing again. */
export interface Resealed {
  readonly resealed: number;
  /** Sealed with the newest key already. */
  readonly current: number;
  /** Agents whose credential cannot be decrypted with any key; it stays unchanged. */
  readonly unreadable: readonly string[];
}

/**
 * Seals every stored credential with the current key. One that its owner changes meanwhile is left alone. One that cannot
 * be opened is reported and kept: its key may be restored.
 */
export async function resealAll(
  owners: Pick<OwnerStore, 'credentials' | 'resealCredential'>,
  sealer: Sealer,
): Promise<Resealed> {
  const unreadable: string[] = [];
  let [resealed, current] = [0, 0];
  for await (const stored of storedCredentials(owners)) {
    const opened = await opening(sealer, stored);
    if (opened === undefined) unreadable.push(stored.agent);
    else if (await sealer.isCurrent(stored.sealed)) current += 1;
    else {
      const to = await sealer.seal(stored, opened);
      if (await owners.resealCredential({ agent: stored.agent, from: stored.sealed, to })) resealed += 1;
      else current += 1;
    }
  }
  return { resealed, current, unreadable };
}

/** The number of stored credentials, those that cannot be opened, and those that are never sent. */
export async function checkCredentials(
  owners: Pick<OwnerStore, 'credentials'>,
  sealer: Sealer,
): Promise<{
  readonly stored: number;
  readonly unreadable: readonly string[];
  readonly unsent: readonly string[];
}> {
  const unreadable: string[] = [];
  const unsent: string[] = [];
  let count = 0;
  for await (const stored of storedCredentials(owners)) {
    count += 1;
    if (!isSendable(stored.agent)) unsent.push(stored.agent);
    if ((await opening(sealer, stored)) === undefined) unreadable.push(stored.agent);
  }
  return { stored: count, unreadable, unsent };
}

async function opening(sealer: Sealer, stored: StoredCredential): Promise<string | undefined> {
  try {
    return await sealer.open(stored, stored.sealed);
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'credential_unreadable') return undefined;
    throw error;
  }
}
