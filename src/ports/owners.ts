import type { Actor, KeyActor } from '../domain/actor.ts';
import type { AgentSettings, SettingsChange } from '../domain/compliance.ts';
import type { Challenge, Owner, ProofWay } from '../domain/ownership.ts';
import type { MemberSaid } from './members.ts';

/** An agent that a member has registered, or wants to. Times are epoch milliseconds. */
export interface RegisteredAgent {
  readonly agent: string;
  readonly url: string;
  readonly member: string;
  readonly addedAt: number;
  /** Absent: control of its domain was not shown yet. */
  readonly provenAt?: number;
  readonly via?: ProofWay;
  /** Since when the proof is asked for again, as it is old. */
  readonly askedAgainAt?: number;
  /** It counts for nothing before its proof: another member has registered the agent, or nobody. */
  readonly isPending?: true;
  /** What the member says of it. */
  readonly said: MemberSaid;
}

export interface Proof {
  readonly agent: string;
  readonly member: string;
  /** The token that was found. */
  readonly token: string;
  readonly via: ProofWay;
  /** Absent: the operator, for the member. */
  readonly actor?: KeyActor;
}

/** A site that somebody may have proven control of. */
export interface ProvenSite {
  /** A registrable domain. */
  readonly site: string;
  /** What an invitation for this domain is kept by, once somebody has joined with it. */
  readonly joinHash: string;
}

/** A change of settings that was asked for, and by whom. */
export interface AskedChange {
  readonly agent: string;
  readonly change: SettingsChange;
  readonly actor: Actor;
}

/** What tests of an agent may authenticate with, sealed: this side of the store nobody can read it. */
export interface SealedCredential {
  readonly member: string;
  /** A JWE; see src/owners/credentials.ts. */
  readonly sealed: string;
  readonly kind: CredentialKind;
  readonly setAt: number;
}

/** A token as it is sent, or an OAuth client that gets one (RFC 6749, section 4.4). */
export type CredentialKind = 'bearer' | 'oauth_client_credentials';

/** A test credential to be kept, or null to forget it. */
export interface AskedCredential {
  readonly agent: string;
  readonly sealed: string | null;
  /** Default `bearer`. */
  readonly kind?: CredentialKind;
  readonly actor: Exclude<Actor, { kind: 'signature' }>;
}

/** What the owner of an agent says beside the results of its tests. */
export interface OwnerStatement {
  /** One line of plain text. */
  readonly text: string;
  readonly saidAt: number;
}

/** A statement to be kept, or null to take it back. */
export interface AskedStatement {
  readonly agent: string;
  readonly text: string | null;
  readonly actor: Exclude<Actor, { kind: 'signature' }>;
}

export type StatementOutcome =
  | 'kept'
  | 'taken_back'
  | 'opted_out'
  | 'unknown_agent'
  | 'not_owner'
  | 'key_revoked';

/** The same credential under another key, if `from` is still what is stored. */
export interface ResealedCredential {
  readonly agent: string;
  readonly from: string;
  readonly to: string;
}

export type CredentialOutcome = 'kept' | 'forgotten' | 'unknown_agent' | 'not_owner' | 'key_revoked';

export type SettingsOutcome =
  | { readonly ok: true; readonly settings: AgentSettings; readonly changed: boolean }
  | { readonly ok: false; readonly reason: 'unknown_agent' | 'not_owner' | 'key_revoked' };

/** When an owner decided; absent: never, or before it was written down. */
export interface SettingsTimes {
  readonly decidedAt?: number;
  readonly changedAt?: number;
  /** Since when its tests are paused. */
  readonly pausedAt?: number;
}

/** That an owner, by its API key, read the history of its agent or one finished run. */
export interface OwnerAccess {
  /** Canonical URL. */
  readonly agent: string;
  readonly keyId: string;
  readonly member: string;
  /** Absent: the history. */
  readonly runId?: string;
}

/** Who did what to what, and what it changed. */
export interface AuditEntry {
  readonly id: number;
  readonly at: number;
  /** `operator`, the id of an API key, or `signature:` and the id of the key that signed the message. */
  readonly actor: string;
  /** `agent.settings`, for example. */
  readonly action: string;
  /** An agent, an API key or a member. */
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Who owns an agent, and what owners decide. Each deed is one durable transaction with its audit record, and marks an
 * agent dirty where its document may change.
 */
export interface OwnerStore {
  /** The open challenge for an agent that is registered, or pending for the member, else this one; `not_found` for another agent. */
  challenge(wanted: Challenge, now: number, actor?: KeyActor): Promise<Challenge>;
  /** The member's last challenge that was not used, expired or not. */
  challengeOf(agent: string, member: string): Promise<Challenge | undefined>;
  /**
   * Makes the member the owner. Whoever owned the agent loses it, with the registration and what it said of the agent,
   * and every challenge for the agent ends. What was pending counts from now on. The agent is due for a test at once.
   * False: the challenge is not the member's open one any more, or the acting key is not valid.
   */
  prove(proof: Proof, now: number): Promise<boolean>;
  /** The proven owner; undefined for an agent that is not registered, or registered without proof. */
  owner(agent: string): Promise<Owner | undefined>;
  /** Whether a member has proven control of a registrable domain: by joining with it, or by an agent below it. */
  ownsSite(member: string, site: ProvenSite): Promise<boolean>;
  /**
   * What time does to proofs: those older than 180 days are asked for again (`agent.proof_asked`), and those that were asked
   * for in vain for 30 days end their ownership (`agent.proof_ended`). Some at a time; how many, 0 when there are no more.
   */
  ageProofs(now: number): Promise<number>;
  /** Ends a member's ownership; the registration stays, unproven. False: it was none. */
  disown(agent: string, member: string, now: number): Promise<boolean>;
  /** Ends a registration, proven or pending; an agent that nobody declares has its grace. False: it was none, or the key is over. */
  unregister(agent: string, member: string, now: number, actor?: KeyActor): Promise<boolean>;
  /** Registered agents by URL, or a member's with those that are pending for it; `limit` of them after one. */
  registered(of: {
    readonly member?: string;
    /** Only this one. */
    readonly agent?: string;
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly RegisteredAgent[]>;
  /** Undefined for an agent never heard of. */
  settings(agent: string): Promise<AgentSettings | undefined>;
  settingsTimes(agent: string): Promise<SettingsTimes>;
  /** A member may change them as long as it is the proven owner, and a key as long as it is valid: asked again in the transaction. */
  changeSettings(asked: AskedChange, now: number): Promise<SettingsOutcome>;
  /**
   * Keeps or forgets the test credential of an owned agent (`agent.credential`; the audit record says that, never what).
   * It goes with the ownership: with another owner, or with none, it is deleted. Where the last test came to nothing as there
   * was none, a kept one makes the agent due as soon as a run on demand is allowed.
   */
  keepCredential(asked: AskedCredential, now: number): Promise<CredentialOutcome>;
  /** Undefined when the proven owner has stored none. */
  credential(agent: string): Promise<SealedCredential | undefined>;
  /** The stored credentials by agent, `limit` of them after one. */
  credentials(of: {
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly (SealedCredential & { readonly agent: string })[]>;
  /**
   * Keeps, replaces or takes back what the owner says of its agent's tests (`agent.statement`). It goes with the ownership.
   * The same text again keeps its time. An agent that takes no part in tests can only take it back.
   */
  keepStatement(asked: AskedStatement, now: number): Promise<StatementOutcome>;
  /** As everybody may see it: undefined for an agent without an owner, and for one that takes no part in tests. */
  statement(agent: string): Promise<OwnerStatement | undefined>;
  /** Puts the same credential under another seal; its time stays. False: it is not what was read any more. */
  resealCredential(change: ResealedCredential): Promise<boolean>;
  /**
   * Records that an owner has read the runs of its agent (`runs.read`), unless the same access of the same key was written down less than an
   * hour ago, by whatever process. No deed depends on it, so a loss of power may take the last entries.
   */
  noteAccess(access: OwnerAccess, now: number): Promise<void>;
  /** The audit log, newest first, of one subject or of all; `before` is the id of an entry. */
  auditLog(of: {
    readonly subject?: string;
    readonly before?: number;
    readonly limit: number;
  }): Promise<readonly AuditEntry[]>;
}
