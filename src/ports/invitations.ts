import type { ApiKey, Member, NewApiKey } from './members.ts';

/** A secret with which somebody becomes a member, or joins one. */
export interface NewInvitation {
  /** SHA-256 of the secret, lower case hex. */
  readonly hash: string;
  /** Whom they join; absent: they name a new member. */
  readonly member?: string;
  readonly expiresAt: number;
}

/** A new member. Its slug is of the namespace of members that join (`joinedSlug`). */
export type WantedMember = Required<Pick<Member, 'id' | 'slug' | 'displayName'>>;

/** Somebody with an invitation, and the key that they will have. */
export interface Joined {
  readonly hash: string;
  readonly key: Pick<NewApiKey, 'id' | 'hash' | 'label'>;
  readonly wanted: WantedMember | undefined;
  /** Proven just now: that is the invitation, and `hash` is the domain's. */
  readonly domain?: string;
}

/** `domain_taken`: a member has joined by this domain. */
export type JoinOutcome = ApiKey | 'no_invitation' | 'name_needed' | 'slug_taken' | 'domain_taken';

/** How somebody becomes a member without the operator's shell. */
export interface Invitations {
  /** Keeps an invitation (`member.invite`). Rejects with `not_found` for an unknown member. */
  invite(invitation: NewInvitation, now: number): Promise<void>;
  /** Makes a member of who comes with an invitation or has proven a domain, once, and its key (`member.join`). */
  join(joined: Joined, now: number): Promise<JoinOutcome>;
}
