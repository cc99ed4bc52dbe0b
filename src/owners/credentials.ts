import { ProvenOrigin } from '../domain/proven-origin.ts';
import { RegistryError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Actor, CredentialOutcome, OwnerStore, SealedCredential } from '../ports/owners.ts';

/** Whose a sealed text is. */
export interface CredentialOwner {
  /** Canonical URL. */
  readonly agent: string;
  readonly member: string;
}

/** Seals texts for one owner, so that the store cannot read them. The key is not in the store. */
export interface Sealer {
  /** Rejects with a RegistryError `usage` where there are no keys, `input_invalid` for keys that cannot be used. */
  seal(owner: CredentialOwner, text: string): Promise<string>;
  /** Rejects with a RegistryError `credential_unreadable`. */
  open(owner: CredentialOwner, sealed: string): Promise<string>;
  /** Whether the text was sealed with the key that seals now. */
  isCurrent(sealed: string): Promise<boolean>;
}

/** A member, by the operator or by a key of its own. */
export type MemberActor = Extract<Actor, { readonly member?: string }> & { readonly member: string };

/** The test credentials of owners (docs/guides/agent-owner.md): sealed at rest, opened for a run only. */
export interface Credentials {
  /**
   * Keeps a token for the tests of an agent that the member owns; `not_https` for one that would be called in the clear.
   * Rejects as `Sealer.seal`.
   */
  keep(asked: {
    readonly agent: string;
    readonly token: string;
    readonly actor: MemberActor;
  }): Promise<CredentialOutcome | 'not_https'>;
  forget(asked: { readonly agent: string; readonly actor: MemberActor }): Promise<CredentialOutcome>;
  /** Since when one is stored, epoch milliseconds; undefined when none is. Needs no key. */
  storedSince(agent: string): Promise<number | undefined>;
  /**
   * The token for a run against the agent, undefined when its owner stored none that may be sent. Rejects with a RegistryError
   * `credential_unreadable`, which is our own fault and never the agent's, or as the store does.
   */
  credentialOf(agent: string): Promise<string | undefined>;
}

export interface CredentialParts {
  readonly owners: Pick<OwnerStore, 'owner' | 'credential' | 'keepCredential'>;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

/** Of a token; a shorter one would stand in answers by chance, and could not be taken out of them. */
const TOKEN_CHARACTERS = { min: 8, max: 4_096 } as const;

/** Why a text cannot be sent as a bearer token (RFC 6750, section 2.1) or is too short or long; undefined when it can. */
export function tokenFault(text: string): string | undefined {
  const { min, max } = TOKEN_CHARACTERS;
  if (text.length < min || text.length > max) return `a token has ${min} to ${max} characters`;
  if (/^[A-Za-z0-9\-._~+/]+=*$/.test(text)) return undefined;
  return 'a bearer token has letters, digits and -._~+/ only, then perhaps =';
}

export function createCredentials({ owners, sealer, clock }: CredentialParts): Credentials {
  return {
    async keep({ agent, token, actor }) {
      const fault = tokenFault(token);
      if (fault !== undefined) throw new TypeError(fault);
      const { member } = actor;
      // the store asks again inside its transaction; asked here too so that nothing is sealed for a stranger
      if ((await owners.owner(agent))?.member !== member) return 'not_owner';
      if (!isSendable(agent)) return 'not_https';
      const sealed = await sealer.seal({ agent, member }, token);
      return owners.keepCredential({ agent, sealed, actor }, clock.now());
    },
    forget: ({ agent, actor }) => owners.keepCredential({ agent, sealed: null, actor }, clock.now()),
    storedSince: async (agent) => (await owners.credential(agent))?.setAt,
    async credentialOf(agent) {
      if (!isSendable(agent)) return undefined; // one may be there from before this was refused
      const stored = await owners.credential(agent);
      return stored && sealer.open({ agent, member: stored.member }, stored.sealed);
    },
  };
}

/** Whether a credential that is stored for the agent is sent to it: never in the clear. */
export function isSendable(agent: string): boolean {
  return ProvenOrigin.of(agent).takesCredentials;
}

/** One row of what is stored. */
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

/** What came of sealing anew. */
export interface Resealed {
  readonly resealed: number;
  /** Sealed with the newest key already. */
  readonly current: number;
  /** Agents whose credential no key opens; it stays as it is. */
  readonly unreadable: readonly string[];
}

/**
 * Seals every stored credential with the key that seals now. One that its owner changes meanwhile is left alone. What
 * cannot be opened is told and kept: its key may come back.
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

/** The agents whose stored credential no key opens, or that it is not sent to, and how many there are in all. */
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
