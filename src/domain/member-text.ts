import { cleanText, codePoints } from './text.ts';

/** What a member is called on the command line and in addresses; schemas/registry/members.json has the same. */
export const MEMBER_SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;
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
