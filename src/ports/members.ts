import type { KeyActor } from '../domain/actor.ts';
import type { Contact, MemberCard, Registration } from '../domain/agent-facts.ts';
import type { AgentType } from '../domain/agent-type.ts';
import type { ApiScope } from '../domain/api-scope.ts';

/** A member organisation, imported or joined. */
export interface Member {
  readonly slug: string;
  /** Of a member that joined: `mem_` and 16 random characters, which an import must name to replace it. */
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
  /** As entered; this URL is called. */
  readonly url: string;
  readonly member: string;
  readonly type?: AgentType;
  readonly name?: string;
  readonly description?: string;
  readonly contact?: Contact;
}

/** The details of an agent, from its member. Undefined deletes a detail. */
export type MemberSaid = {
  readonly [Name in 'type' | 'name' | 'description' | 'contact']?: NewRegistration[Name] | undefined;
};

/** The details of a member, from itself; absent ones keep their value, and an undefined contact is deleted. */
export type SelfDescription = { readonly displayName?: string; readonly contact?: Contact | undefined };

/** An agent that a member adds, by one of its keys. */
export interface AskedRegistration {
  readonly registration: Pick<NewRegistration, 'agent' | 'url' | 'member'> & MemberSaid;
  readonly actor: KeyActor;
  /** The maximum of pending agents of the member. */
  readonly most: number;
}

/** Changed details of an agent; absent ones keep their value. */
export interface RegistrationChange {
  readonly agent: string;
  readonly change: MemberSaid;
  readonly actor: KeyActor;
}

/** The state of an agent for the member that acts, or why nothing was changed. */
export type OwnAgentOutcome = 'pending' | 'owned' | 'too_many' | 'unknown_agent' | 'key_revoked';

/** The public data of a member. */
export interface ShownMember extends MemberCard {
  /** Its agents with a document, in ascending order. */
  readonly agents: readonly { readonly agent: string; readonly proven: boolean }[];
  /** It has more. */
  readonly isCut: boolean;
}

export interface MemberPage {
  /** Only the member with this slug. */
  readonly slug?: string;
  /** Only members after this slug, in ascending order. */
  readonly after?: string;
  readonly limit: number;
  /** The maximum of agents of each member. */
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
  /** Changes the details of a member (`member.describe`); the records of its agents follow. */
  describe(change: SelfDescription, actor: KeyActor, now: number): Promise<Member | 'key_revoked'>;
  /** Members with at least one agent that has a document. */
  shown(page: MemberPage): Promise<readonly ShownMember[]>;
  /**
   * Registers (or re-registers) an agent to a member, adds it as a source due at once, marks it dirty, and leaves an audit
   * record. Rejects with `not_found` for an unknown member, and with `input_invalid` for an agent whose verified
   * owner is another member.
   */
  register(registration: NewRegistration, now: number): Promise<Registration>;
  /**
   * Adds a pending agent for a member that is not its verified owner (`agent.ask`), or changes its details. They are not
   * used before the verification.
   */
  askForAgent(asked: AskedRegistration, now: number): Promise<OwnAgentOutcome>;
  /** Changes the details of an agent that the member owns, or that is pending for it (`agent.describe`). */
  changeOwnAgent(asked: RegistrationChange, now: number): Promise<OwnAgentOutcome>;
  /**
   * Deletes a member with its keys and the invitations to it. Rejects with `not_found` for an unknown one, and with `input_invalid` while agents are
   * registered to it.
   */
  remove(slug: string, now: number): Promise<void>;
}

/** An API key of a member, without its secret. Times are epoch milliseconds. */
export interface ApiKey {
  /** The beginning of the key itself, so that its owner can recognise it. */
  readonly id: string;
  readonly member: string;
  readonly label?: string;
  readonly createdAt: number;
  /** To the day. */
  readonly lastUsedAt?: number;
  readonly revokedAt?: number;
  /** Absent: every scope. */
  readonly scopes?: readonly ApiScope[];
  /** Expiry; absent: never. */
  readonly expiresAt?: number;
  /** The id of its successor. */
  readonly renewedBy?: string;
  /** The id of the key that created it; absent: the operator, an invitation or a verified domain did. */
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
  /** The ids of the keys that it created, directly or indirectly, and that were revoked with it; oldest first. */
  readonly alsoRevoked: readonly string[];
}

/** A key of a member, seen by another of its keys. */
export interface OwnKey extends ApiKey {
  /** Whether that key may revoke it. */
  readonly isManaged: boolean;
}

/** The successor of a key. */
export interface KeyRenewal extends Pick<NewApiKey, 'id' | 'hash'> {
  /** The id of the replaced key. */
  readonly from: string;
  /** How long both are valid, milliseconds; the old one may expire earlier. */
  readonly overlapMs: number;
}

/** A key that a member creates with one of its keys. Absent scopes and expiry are those of the creating key. */
export interface WantedOwnKey extends Omit<NewApiKey, 'member'> {
  readonly actor: KeyActor;
  /** The maximum of valid keys of the member. */
  readonly most: number;
}

export type OwnKeyOutcome =
  | { readonly ok: true; readonly key: ApiKey }
  | { readonly ok: false; readonly reason: 'key_revoked' | 'more_scopes' | 'too_many' };

/**
 * The keys of members. All changes but `noteUse` are durable and leave an audit record.
 *
 * A key manages itself and the keys that it created, directly or indirectly. The successor of a key has the same creator as
 * its predecessor, and manages the keys that its predecessors created. A predecessor does not manage its successor.
 */
export interface ApiKeyStore {
  /** Rejects with `not_found` for an unknown member. */
  create(key: NewApiKey, now: number): Promise<ApiKey>;
  /**
   * Creates a key with the member, label, scopes and lifetime of another, which then expires after the overlap. Rejects
   * with `not_found`, and with `input_invalid` for one that is revoked, has expired or has a successor.
   */
  renew(renewal: KeyRenewal, now: number): Promise<ApiKey>;
  /** All keys, or those of one member, oldest first, including revoked ones. */
  list(member?: string): Promise<readonly ApiKey[]>;
  /**
   * Revokes a key with all keys that it manages, in one transaction and for every process at once. Has no effect on a
   * revoked key. Undefined: unknown key.
   */
  revoke(id: string, now: number): Promise<RevokedKey | undefined>;
  /** The valid keys of a member, newest first, then the newest `over` that are revoked or have expired. */
  listOwn(
    by: Pick<KeyActor, 'member' | 'keyId'>,
    page: { readonly over: number },
    now: number,
  ): Promise<readonly OwnKey[]>;
  /** As `create`, for a member: without scopes that the acting key lacks, and not beyond its expiry. */
  createOwn(key: WantedOwnKey, now: number): Promise<OwnKeyOutcome>;
  /** As `revoke`, by a key of the member: only keys that it manages. Undefined for a key of another member, too. */
  revokeOwn(
    id: string,
    actor: KeyActor,
    now: number,
  ): Promise<RevokedKey | 'key_revoked' | 'not_key_maker' | undefined>;
  find(id: string): Promise<(ApiKey & { readonly hash: string }) | undefined>;
  /** Stores the day of use; writes at most once in 24 hours for a key. */
  noteUse(id: string, now: number): Promise<void>;
}
