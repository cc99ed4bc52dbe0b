import { cleanText, codePoints } from './text.ts';

/** The slug of a member, for URLs and commands; schemas/registry/members.json has the same pattern. */
export const MEMBER_SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;
const JOINED_SLUG = /^joined-[a-z0-9][a-z0-9-]{0,55}$/;
/** Maximum length of a chosen slug, without the prefix. */
export const MAX_WANTED_SLUG = 56;

/**
 * Whether a slug has the prefix of members that joined. Imported members cannot have it, so a member that joins cannot take
 * a slug that the operator imports later, with its tier and agents.
 */
export function isJoinedSlug(slug: string): boolean {
  return slug.startsWith('joined-');
}

/** The slug of a member that joins: `joined-acme` for `acme` and for `joined-acme`. Undefined: invalid. */
export function joinedSlug(wanted: string): string | undefined {
  const slug = isJoinedSlug(wanted) ? wanted : `joined-${wanted}`;
  return JOINED_SLUG.test(slug) ? slug : undefined;
}

/** Maximum length of the display name, characters. */
export const MAX_MEMBER_NAME = 200;

/** A display name as one line; undefined for an invalid one. */
export function memberName(text: string): string | undefined {
  const name = cleanText(text);
  return name !== '' && codePoints(name) <= MAX_MEMBER_NAME ? name : undefined;
}

/** Whether a text is a valid e-mail address of a contact: `agents@nova.example`, without a name. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>()",:;]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text);
}

/** Whether a text is a valid web page of a contact. */
export function isWebsite(text: string): boolean {
  return text.length <= 2_048 && /^https?:\/\/[^/]/i.test(text) && URL.canParse(text);
}
