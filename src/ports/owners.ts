import type { AgentSettings, SettingsChange } from '../domain/agent-settings.ts';
import type { Challenge, Owner, ProofWay } from '../domain/ownership.ts';

/** Who does something: an operator, for a member or not, or a member by an API key. */
export type Actor =
  | { readonly kind: 'operator'; readonly member?: string }
  | { readonly kind: 'key'; readonly keyId: string; readonly member: string };

/** An agent that a member has registered. Times are epoch milliseconds. */
export interface RegisteredAgent {
  readonly agent: string;
  readonly url: string;
  readonly member: string;
  readonly addedAt: number;
  /** Absent: control of its domain was not shown yet. */
  readonly provenAt?: number;
  readonly via?: ProofWay;
}

export interface Proof {
  readonly agent: string;
  readonly member: string;
  /** The token that was found. */
  readonly token: string;
  readonly via: ProofWay;
}

/** A change of settings that was asked for, and by whom. */
export interface AskedChange {
  readonly agent: string;
  readonly change: SettingsChange;
  readonly actor: Actor;
}

export type SettingsOutcome =
  | { readonly ok: true; readonly settings: AgentSettings; readonly changed: boolean }
  | { readonly ok: false; readonly reason: 'unknown_agent' | 'not_owner' | 'key_revoked' };

/** Who did what to what, and what it changed. */
export interface AuditEntry {
  readonly id: number;
  readonly at: number;
  /** `operator`, or the id of an API key. */
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
  /**
   * The member's challenge for a registered agent: the one that is still open, else this one. Rejects with `not_found`
   * for a member or an agent that is not registered.
   */
  challenge(wanted: Challenge, now: number): Promise<Challenge>;
  /** The member's last challenge that was not used, expired or not. */
  challengeOf(agent: string, member: string): Promise<Challenge | undefined>;
  /**
   * Makes the member the owner. Whoever owned the agent loses it, with the registration and what it said of the agent,
   * and every challenge for the agent ends. False: the challenge is not the member's open one any more.
   */
  prove(proof: Proof, now: number): Promise<boolean>;
  /** The proven owner; undefined for an agent that is not registered, or registered without proof. */
  owner(agent: string): Promise<Owner | undefined>;
  /** Ends a member's ownership; the registration stays, unproven. False: it was none. */
  disown(agent: string, member: string, now: number): Promise<boolean>;
  /** Ends a member's registration, proven or not; an agent that nobody declares has its grace from now. False: it was none. */
  unregister(agent: string, member: string, now: number): Promise<boolean>;
  /** Registered agents by URL, all or a member's, `limit` of them after one. */
  registered(of: {
    readonly member?: string;
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly RegisteredAgent[]>;
  /** Undefined for an agent never heard of. */
  settings(agent: string): Promise<AgentSettings | undefined>;
  /** A member may change them as long as it is the proven owner, and a key as long as it is valid: asked again in the transaction. */
  changeSettings(asked: AskedChange, now: number): Promise<SettingsOutcome>;
  /** The audit log, newest first, of one subject or of all; `before` is the id of an entry. */
  auditLog(of: {
    readonly subject?: string;
    readonly before?: number;
    readonly limit: number;
  }): Promise<readonly AuditEntry[]>;
}
