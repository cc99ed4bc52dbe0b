import type { Contact, Registration } from '../domain/agent-facts.ts';
import type { AgentType } from '../domain/agent-type.ts';

/** A member organisation as imported. */
export interface Member {
  readonly slug: string;
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

export interface ApiKey {
  readonly id: string;
  readonly member: string;
  readonly revokedAt?: number;
}

/** Members, their registrations and their keys. */
export interface MemberStore {
  /** Adds or replaces members by slug; agents registered to a changed member become dirty. */
  import(
    members: readonly Member[],
    now: number,
  ): Promise<{ readonly added: number; readonly changed: number; readonly unchanged: number }>;
  get(slug: string): Promise<Member | undefined>;
  list(): Promise<readonly Member[]>;
  /** Registers (or re-registers) an agent to a member, adds it as a source due at once, marks it dirty, and leaves an audit record. */
  register(registration: NewRegistration, now: number): Promise<Registration>;
  /** Looks a key up by the SHA-256 (lower case hex) of its text. */
  keyByHash(hash: string): Promise<ApiKey | undefined>;
}
