import { cleanText, codePoints } from './text.ts';

/** What a member is called on the command line and in addresses; schemas/registry/members.json has the same. */
export const MEMBER_SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;
const JOINED_SLUG = /^joined-[a-z0-9][a-z0-9-]{0,55}$/;
/** Of a slug that somebody wants who joins, without the prefix. */
export const MAX_WANTED_SLUG = 56;

/**
 * Whether a slug is of the namespace of members that joined. Nobody else gets such a slug: so a stranger takes no slug that
 * the operator imports later, with its tier and its agents.
 */
export function isJoinedSlug(slug: string): boolean {
  return slug.startsWith('joined-');
}

/** The slug that a member gets who joins: `joined-acme` for `acme` and for `joined-acme`. Undefined: it cannot be one. */
export function joinedSlug(wanted: string): string | undefined {
  const slug = isJoinedSlug(wanted) ? wanted : `joined-${wanted}`;
  return JOINED_SLUG.test(slug) ? slug : undefined;
}

/** Of the name that people see, characters. */
export const MAX_MEMBER_NAME = 200;

/** The name that people see, as one line; undefined for a text that cannot be one. */
export function memberName(text: string): string | undefined {
  const name = cleanText(text);
  return name !== '' && codePoints(name) <= MAX_MEMBER_NAME ? name : undefined;
}

/** Whether a text can be the e-mail address of a contact: `agents@nova.example`, without a name. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>()",:;]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text);
}

/** Whether a text can be the web page of a contact. */
export function isWebsite(text: string): boolean {
  return text.length <= 2_048 && /^https?:\/\/[^/]/i.test(text) && URL.canParse(text);
}
