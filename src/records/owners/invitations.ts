import { isJoinedSlug } from '../../domain/member-text.ts';
import type {
  Invitations,
  Joined,
  JoinOutcome,
  NewInvitation,
  WantedMember,
} from '../../ports/invitations.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { first, run, sql } from '../statements.ts';
import { auditDeed, OPERATOR } from './audit.ts';
import { createKeyRows } from './key-rows.ts';
import { requireMember } from './member-store.ts';

/** Invitations to join as a member: secrets that can be used once. Only their hashes are stored. */
export function createInvitations(store: SqlStore): Invitations {
  const keys = createKeyRows(store);

  function* invite({ hash, member, expiresAt }: NewInvitation, now: number): SqlTask<void> {
    if (member !== undefined) yield* requireMember(store, member);
    const row = { hash, member: member ?? null, created_at: now, expires_at: expiresAt };
    yield* run(store, sql.insertInto('invitation').values({ ...row, used_at: null, used_by: null }));
    const details = { member: member ?? null, expires_at: expiresAt };
    yield* auditDeed(store, {
      at: now,
      actor: OPERATOR,
      action: 'member.invite',
      subject: member ?? 'members',
      details,
    });
  }
  /** One invitation per domain, even if it is proven again: a used one stays used. */
  function* inviteDomain(hash: string, now: number): SqlTask<void> {
    const row = { hash, member: null, created_at: now, expires_at: now + 1, used_at: null, used_by: null };
    const put = sql.insertInto('invitation').values(row);
    yield* run(
      store,
      put.onConflict((same) =>
        same
          .column('hash')
          .doUpdateSet({ expires_at: now + 1 })
          .where('invitation.used_at', 'is', null),
      ),
    );
  }
  /** Whether a slug was used by another invitation, even if that member was removed since. */
  function* wasUsed(slug: string, hash: string): SqlTask<boolean> {
    const used = sql.selectFrom('invitation').select('hash').where('used_by', '=', slug);
    return (yield* first(store, used.where('hash', '<>', hash))) !== undefined;
  }
  function* join({ hash, key, wanted, domain }: Joined, now: number): SqlTask<JoinOutcome> {
    if (domain !== undefined) yield* inviteDomain(hash, now);
    const none = domain === undefined ? 'no_invitation' : 'domain_taken';
    const open = sql.selectFrom('invitation').select('member').where('hash', '=', hash);
    const unused = open.where('used_at', 'is', null).where('expires_at', '>', now);
    const invitation = yield* first(store, unused);
    if (invitation === undefined) return none;
    const slug = invitation.member ?? wanted?.slug;
    if (slug === undefined) return 'name_needed';
    // of two that come with it at once, the second one changes nothing here
    const use = sql.updateTable('invitation').set({ used_at: now, used_by: slug }).where('hash', '=', hash);
    if ((yield* run(store, use.where('used_at', 'is', null))) === 0) return none;
    const isNew = invitation.member === null;
    if (!isNew) yield* requireMember(store, slug);
    else if (wanted === undefined || (yield* wasUsed(slug, hash)) || !(yield* addMember(store, wanted))) {
      const unuse = sql.updateTable('invitation').set({ used_at: null, used_by: null });
      yield* run(store, unuse.where('hash', '=', hash));
      return 'slug_taken';
    }
    const actor = { ...OPERATOR, member: slug };
    const made = yield* keys.create({ ...key, member: slug }, actor, now);
    yield* auditDeed(store, {
      at: now,
      actor,
      action: 'member.join',
      subject: slug,
      details: {
        ...{ key: key.id },
        ...(isNew && { id: wanted?.id }),
        ...(domain !== undefined && { domain }),
      },
    });
    return made;
  }
  return {
    invite: (invitation, now) => store.durably(() => invite(invitation, now)),
    join: (joined, now) => store.durably(() => join(joined, now)),
  };
}

/** A member of its own making has no tier and founded nothing. Returns whether the slug was free. */
function* addMember(store: SqlStore, { id, slug, displayName }: WantedMember): SqlTask<boolean> {
  if (!isJoinedSlug(slug)) throw new Error(`the slug ${slug} is not reserved for members that join`);
  const row = { slug, display_name: displayName, founding_member: 0, joined_id: id };
  const put = sql
    .insertInto('member')
    .values({ ...row, tier: null, tier_label: null, subscription_status: null, contact: null });
  return (
    (yield* run(
      store,
      put.onConflict((same) => same.column('slug').doNothing()),
    )) > 0
  );
}
