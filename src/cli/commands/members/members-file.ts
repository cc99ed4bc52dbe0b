import type { Member } from '../../../records/owners/members.ts';
import { type CheckedFile, invalidFile, parseChecked } from '../../input/checked-file.ts';

/** An entry of the file, with the names of the wire (specification, 2.1). */
interface MemberEntry {
  readonly slug: string;
  readonly id?: string;
  readonly display_name: string;
  readonly membership_tier?: string;
  readonly membership_tier_label?: string;
  readonly is_founding_member?: boolean;
  readonly subscription_status?: string;
  readonly contact?: Member['contact'];
}

/** Reads a members file, JSON or YAML. Throws `input_invalid` with every error. */
export function parseMembers(text: string, file: string): readonly Member[] {
  const checked: CheckedFile = { file, what: 'members file', schema: 'registry/members.json' };
  const value = parseChecked<readonly MemberEntry[] | { readonly members: readonly MemberEntry[] }>(
    text,
    checked,
  );
  const entries = 'members' in value ? value.members : value;
  const slugs = new Set<string>();
  for (const { slug } of entries) {
    if (slugs.has(slug)) throw invalidFile(checked, [`duplicate slug '${slug}'`]);
    slugs.add(slug);
  }
  return entries.map(memberOf);
}

function memberOf(entry: MemberEntry): Member {
  return {
    slug: entry.slug,
    ...(entry.id !== undefined && { id: entry.id }),
    displayName: entry.display_name,
    foundingMember: entry.is_founding_member ?? false,
    ...(entry.membership_tier !== undefined && { tier: entry.membership_tier }),
    ...(entry.membership_tier_label !== undefined && { tierLabel: entry.membership_tier_label }),
    ...(entry.subscription_status !== undefined && { subscriptionStatus: entry.subscription_status }),
    ...(entry.contact && { contact: entry.contact }),
  };
}
