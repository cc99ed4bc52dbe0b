import type { Contact, MemberCard, Registration } from '../domain/agent-facts.ts';
import type { AgentType } from '../domain/agent-type.ts';
import type { ApiScope } from '../domain/api-scope.ts';
import type { KeyActor } from './actor.ts';

/** A member organisation, as an import or its joining made it. */
export interface Member {
  readonly slug: string;
  /** Of a member that joined: `mem_` and 16 random characters, which an import of it has to name. */
  readonly id?: string;
  readonly displayName: string;
  readonly tier?: string;
  readonly tierLabel?: string;
  readonly foundingMember: boolean;
  readonly subscriptionStatus?: string;
  readonly contact?: Contact;
}

export interface NewRegistration {
  readonly agent: string;
  /** As given: what is dialled. */
  readonly url: string;
  readonly member: string;
  readonly type?: AgentType;
  readonly name?: string;
  readonly description?: string;
  readonly contact?: Contact;
}

/** What a member says of an agent. Undefined takes back what it said. */
export type MemberSaid = {
  readonly [Name in 'type' | 'name' | 'description' | 'contact']?: NewRegistration[Name] | undefined;
};

/** What a member says of itself; what is not named stays, and an undefined contact is taken back. */
export type SelfDescription = { readonly displayName?: string; readonly contact?: Contact | undefined };

/** An agent that a member wants to be its own, by one of its keys. */
export interface AskedRegistration {
  readonly registration: Pick<NewRegistration, 'agent' | 'url' | 'member'> & MemberSaid;
  readonly actor: KeyActor;
  /** So many are pending for the member at once. */
  readonly most: number;
}

/** What a member says anew of an agent; what is not named stays. */
export interface RegistrationChange {
  readonly agent: string;
  readonly change: MemberSaid;
  readonly actor: KeyActor;
}

/** Where an agent stands for the member that does something about it, or why nothing was done. */
export type OwnAgentOutcome = 'pending' | 'owned' | 'too_many' | 'unknown_agent' | 'key_revoked';

/** A member as everybody may see it. */
export interface ShownMember extends MemberCard {
  /** Those of its agents that have a document, in ascending order. */
  readonly agents: readonly { readonly agent: string; readonly proven: boolean }[];
  /** It has more. */
  readonly isCut: boolean;
}

export interface MemberPage {
  /** Only the member with this slug. */
  readonly slug?: string;
  /** Those behind it, in ascending order of their slugs. */
  readonly after?: string;
  readonly limit: number;
  /** Of each member at most so many agents. */
  readonly agents: number;
}

/** Members and their registrations. */
export interface MemberStore {
  /**
   * Adds or replaces members by slug; agents registered to a changed member become dirty. A member that joined is replaced
   * where the import names its id (`member.adopt`). Rejects with `input_invalid`, and changes nothing, where one of them
   * does not, where an id is that of no such member, and for a new slug of the namespace of members that join.
   */
  import(
    members: readonly Member[],
    now: number,
  ): Promise<{ readonly added: number; readonly changed: number; readonly unchanged: number }>;
  get(slug: string): Promise<Member | undefined>;
  list(): Promise<readonly Member[]>;
  /** Changes what a member says of itself (`member.describe`); the records of its agents follow. */
  describe(change: SelfDescription, actor: KeyActor, now: number): Promise<Member | 'key_revoked'>;
  /** Members of whom an agent has a document: who registered it is shown with it. */
  shown(page: MemberPage): Promise<readonly ShownMember[]>;
  /**
   * Registers (or re-registers) an agent to a member, adds it as a source due at once, marks it dirty, and leaves an audit
   * record. Rejects with `not_found` for an unknown member, and with `input_invalid` for an agent that another member has
   * proven to be its own.
   */
  register(registration: NewRegistration, now: number): Promise<Registration>;
  /**
   * Makes an agent pending for a member that is not its proven owner (`agent.ask`), or says anew what the member says of it. That
   * counts for nothing before the proof.
   */
  askForAgent(asked: AskedRegistration, now: number): Promise<OwnAgentOutcome>;
  /** Changes what a member says of an agent that it owns, or that is pending for it (`agent.describe`). */
  changeOwnAgent(asked: RegistrationChange, now: number): Promise<OwnAgentOutcome>;
  /**
   * Deletes a member with its keys and the invitations to it. Rejects with `not_found` for an unknown one, and with `input_invalid` while agents are
   * registered to it.
   */
  remove(slug: string, now: number): Promise<void>;
}

/** An API key of a member, without what would let anybody use it. Times are epoch milliseconds. */
export interface ApiKey {
  /** Begins the key itself, so that an owner recognises it. */
  readonly id: string;
  readonly member: string;
  readonly label?: string;
  readonly createdAt: number;
  /** To the day. */
  readonly lastUsedAt?: number;
  readonly revokedAt?: number;
  /** Absent: every scope. */
  readonly scopes?: readonly ApiScope[];
  /** From this moment on it is refused; absent: it does not end by itself. */
  readonly expiresAt?: number;
  /** The id of its successor. */
  readonly renewedBy?: string;
  /** The id of the key that made it; absent: the operator, an invitation or a proof of a domain did. */
  readonly madeBy?: string;
}

export interface NewApiKey {
  readonly id: string;
  /** SHA-256 of the whole key, lower case hex. */
  readonly hash: string;
  readonly member: string;
  readonly label?: string;
  readonly scopes?: readonly ApiScope[];
  readonly expiresAt?: number;
}

/** A key after its revocation. */
export interface RevokedKey extends ApiKey {
  /** The ids of the keys that it made, directly or not, and that were revoked with it; oldest first. */
  readonly alsoRevoked: readonly string[];
}

/** A key as one of its member's keys sees it. */
export interface OwnKey extends ApiKey {
  /** Whether that key may revoke it. */
  readonly isManaged: boolean;
}

/** The successor of a key, which goes on for a while. */
export interface KeyRenewal extends Pick<NewApiKey, 'id' | 'hash'> {
  /** The id of the key that it comes after. */
  readonly from: string;
  /** So long both work, milliseconds; the old one may end earlier by itself. */
  readonly overlapMs: number;
}

/** A key that a member makes by one of its own. Absent scopes and an absent end are those of the key that makes it. */
export interface WantedOwnKey extends Omit<NewApiKey, 'member'> {
  readonly actor: KeyActor;
  /** So many of the member are valid at once. */
  readonly most: number;
}

export type OwnKeyOutcome =
  | { readonly ok: true; readonly key: ApiKey }
  | { readonly ok: false; readonly reason: 'key_revoked' | 'more_scopes' | 'too_many' };

/**
 * The keys of members. All changes but `noteUse` are durable and leave an audit record.
 *
 * A key manages itself and the keys that it made, directly or not. The successor of a key is its heir: it has the maker of
 * its predecessor, and manages what its predecessors made. A predecessor does not manage its successor.
 */
export interface ApiKeyStore {
  /** Rejects with `not_found` for an unknown member. */
  create(key: NewApiKey, now: number): Promise<ApiKey>;
  /**
   * Makes a key with the member, label, scopes and length of life of another, which then ends after the overlap. Rejects
   * with `not_found`, and with `input_invalid` for one that is revoked, has ended or has a successor.
   */
  renew(renewal: KeyRenewal, now: number): Promise<ApiKey>;
  /** All of them, or those of one member, oldest first; revoked ones too. */
  list(member?: string): Promise<readonly ApiKey[]>;
  /**
   * Revokes a key with all keys that it manages, in one transaction and for every process at once. A revoked key stays as it
   * is. Undefined: no such key.
   */
  revoke(id: string, now: number): Promise<RevokedKey | undefined>;
  /** The valid ones of a member, newest first, then the newest `over` of those that are revoked or have ended. */
  listOwn(
    by: Pick<KeyActor, 'member' | 'keyId'>,
    page: { readonly over: number },
    now: number,
  ): Promise<readonly OwnKey[]>;
  /** As `create`, for a member: never with a scope that the acting key lacks, and never beyond that key's end. */
  createOwn(key: WantedOwnKey, now: number): Promise<OwnKeyOutcome>;
  /** As `revoke`, by a key of the member: only what that key manages. Undefined for a key of another member, too. */
  revokeOwn(
    id: string,
    actor: KeyActor,
    now: number,
  ): Promise<RevokedKey | 'key_revoked' | 'not_key_maker' | undefined>;
  find(id: string): Promise<(ApiKey & { readonly hash: string }) | undefined>;
  /** Remembers the day of use; writes at most once in 24 hours for a key. */
  noteUse(id: string, now: number): Promise<void>;
}
