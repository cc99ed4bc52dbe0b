import type { ApiKey, Member, NewApiKey } from './members.ts';

/** An invitation to become a member, or to get a key of an existing one. */
export interface NewInvitation {
  /** SHA-256 of the secret, lower case hex. */
  readonly hash: string;
  /** The existing member; absent: the invitation is for a new one. */
  readonly member?: string;
  readonly expiresAt: number;
}

/** A new member. Its slug has the prefix of members that join (`joinedSlug`). */
export type WantedMember = Required<Pick<Member, 'id' | 'slug' | 'displayName'>>;

/** A used invitation, and the new API key. */
export interface Joined {
  readonly hash: string;
  readonly key: Pick<NewApiKey, 'id' | 'hash' | 'label'>;
  readonly wanted: WantedMember | undefined;
  /** Verified just now in place of an invitation; `hash` is the domain's. */
  readonly domain?: string;
}

/** `domain_taken`: a member has already joined with this domain. */
export type JoinOutcome = ApiKey | 'no_invitation' | 'name_needed' | 'slug_taken' | 'domain_taken';

/** Joining without the operator's shell. */
export interface Invitations {
  /** Stores an invitation (`member.invite`). Rejects with `not_found` for an unknown member. */
  invite(invitation: NewInvitation, now: number): Promise<void>;
  /** Creates the member (if new) and its key from an invitation or a verified domain, once (`member.join`). */
  join(joined: Joined, now: number): Promise<JoinOutcome>;
}
