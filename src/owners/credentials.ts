import type { Actor } from '../domain/actor.ts';
import { ProvenOrigin } from '../domain/proven-origin.ts';
import { RegistryError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { RunCredential } from '../ports/run-credential.ts';
import type { CredentialOutcome, SealedCredential } from '../records/owners/agent-settings.ts';
import type { OwnerStore } from '../records/owners/owner-store.ts';
import { tokenFault } from './bearer-token.ts';
import type { OAuthClient } from './oauth-client.ts';
import { createTokens } from './oauth-tokens.ts';
import type { TokenAnswer, TokenExchange } from './token-exchange.ts';

/** The owner of a sealed text. */
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
  /** Whether the text was sealed with the current key. */
  isCurrent(sealed: string): Promise<boolean>;
}

/** A member, by the operator or by a key of its own. */
export type MemberActor = Extract<Actor, { readonly member?: string }> & { readonly member: string };

/** The test credentials of owners (docs/guides/agent-owner.md): sealed at rest, opened for a run only. */
export interface Credentials {
  /**
   * Keeps a bearer token, or an OAuth client that gets one, for the tests of an agent that the member owns; `not_https` for
   * one that would be called in the clear. Rejects as `Sealer.seal`.
   */
  keep(
    asked: { readonly agent: string; readonly actor: MemberActor } & GivenCredential,
  ): Promise<CredentialOutcome | 'not_https'>;
  forget(asked: { readonly agent: string; readonly actor: MemberActor }): Promise<CredentialOutcome>;
  /** The kind and date of the stored credential; undefined if none is stored. Needs no key. */
  stored(agent: string): Promise<Pick<SealedCredential, 'kind' | 'setAt'> | undefined>;
  /**
   * The token for a run against the agent, undefined when its owner stored none that may be sent. Rejects with a RegistryError
   * `credential_unreadable`, which is our own fault and never the agent's, `token_refused` where the owner's OAuth client
   * got none, or as the store does. What is stored is read and opened again for each further token.
   */
  credentialOf(agent: string): Promise<RunCredential | undefined>;
  /**
   * Requests a token with the stored OAuth client, and discards it. Undefined if none is stored.
   * Rejects as `credentialOf` does.
   */
  tryClient(agent: string, bounded: BoundedAsk): Promise<Pick<TokenAnswer, 'failure'> | undefined>;
}

/** Requests a token within the caller's limits. */
export type BoundedAsk = (endpoint: string, ask: () => Promise<TokenAnswer>) => Promise<TokenAnswer>;

/** A credential for the tests of an agent. */
export type GivenCredential = { readonly token: string } | { readonly client: OAuthClient };

export interface CredentialParts {
  readonly owners: Pick<OwnerStore, 'owner' | 'credential' | 'keepCredential'>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly exchange: TokenExchange;
}

type TokenVisit = Parameters<TokenExchange>[1] & object;

export function createCredentials({ owners, sealer, clock, exchange }: CredentialParts): Credentials {
  const tokens = createTokens(exchange, clock);
  const open = async (agent: string) => {
    if (!isSendable(agent)) return undefined; // one may be there from before this was refused
    const stored = await owners.credential(agent);
    if (stored === undefined) return undefined;
    const text = await sealer.open({ agent, member: stored.member }, stored.sealed);
    return { sealed: stored.sealed, given: givenIn(text) };
  };
  const credentialOf = async (agent: string, within?: TokenVisit): Promise<RunCredential | undefined> => {
    const opened = await open(agent);
    if (opened === undefined) return undefined;
    const { given, sealed } = opened;
    if ('token' in given) return given;
    const asked = within === undefined ? tokens.take : tokens.renew;
    const { token, sent, ...times } = await asked(agent, sealed, given.client, within);
    return { token, sent, renewal: { ...times, renew: (visit) => renewed(agent, visit) } };
  };
  const renewed = async (agent: string, visit: TokenVisit) => {
    const next = await credentialOf(agent, visit);
    if (next !== undefined) return next;
    throw new RegistryError('token_refused', 'the owner deleted the credential during the run');
  };
  return {
    async keep({ agent, actor, ...given }) {
      const fault = 'token' in given ? tokenFault(given.token) : undefined;
      if (fault !== undefined) throw new TypeError(fault);
      const { member } = actor;
      // the store asks again inside its transaction; asked here too so that nothing is sealed for a stranger
      if ((await owners.owner(agent))?.member !== member) return 'not_owner';
      if (!isSendable(agent)) return 'not_https';
      const isToken = 'token' in given;
      const sealed = await sealer.seal(
        { agent, member },
        isToken ? given.token : JSON.stringify(given.client),
      );
      const kind = isToken ? 'bearer' : 'oauth_client_credentials';
      return owners.keepCredential({ agent, sealed, kind, actor }, clock.now());
    },
    forget: ({ agent, actor }) => owners.keepCredential({ agent, sealed: null, actor }, clock.now()),
    async stored(agent) {
      const stored = await owners.credential(agent);
      return stored && { kind: stored.kind, setAt: stored.setAt };
    },
    credentialOf: (agent) => credentialOf(agent),
    async tryClient(agent, bounded) {
      const given = (await open(agent))?.given;
      if (given === undefined || 'token' in given) return undefined;
      const { client } = given;
      const { failure } = await bounded(client.token_endpoint, () => exchange(client));
      return failure === undefined ? {} : { failure };
    },
  };
}

/** A token never begins like a JSON object. */
function givenIn(text: string): GivenCredential {
  return text.startsWith('{') ? { client: JSON.parse(text) as OAuthClient } : { token: text };
}

/** Whether a stored credential may be sent to the agent: never over http. */
export function isSendable(agent: string): boolean {
  return ProvenOrigin.of(agent).takesCredentials;
}
