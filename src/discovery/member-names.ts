import { pointerTo } from '../base/json.ts';
import { nearestOf } from '../base/near-names.ts';
import type { AuthorisationScope } from '../domain/declaration.ts';
import type { FindingCode } from './finding-codes.ts';
import type { FilePart } from './read-document.ts';

/** Each authorization_type with the member that goes with it. */
export const COMPANIONS: Readonly<Record<Exclude<AuthorisationScope['type'], 'all'>, string>> = {
  property_ids: 'property_ids',
  property_tags: 'property_tags',
  inline_properties: 'properties',
  publisher_properties: 'publisher_properties',
  signal_ids: 'signal_ids',
  signal_tags: 'signal_tags',
};

/** The members of an entry that narrow what its scope says. */
export const LIMITS = [
  'collections',
  'countries',
  'delegation_type',
  'effective_from',
  'effective_until',
  'exclusive',
  'placement_ids',
  'placement_tags',
] as const;

/** Every member of an entry without which it would say more. */
export const NARROWING: readonly string[] = [
  'authorization_type',
  ...Object.values(COMPANIONS),
  ...LIMITS,
  'signing_keys',
];

/** Names that authors give to a member which the format calls otherwise; only their letters. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    collections: 'collection collectionid collectionids',
    countries: 'country countrycode countrycodes geo territories territory',
    effective_from: 'notbefore startdate validfrom',
    effective_until: 'effectiveto enddate expires expiresat notafter validto validuntil',
    placement_ids: 'placement placements',
    properties: 'property',
  }).flatMap(([name, words]) => words.split(' ').map((word) => [word, name] as const)),
);
/** Beginnings of words that take away, wherever they stand in a name. */
const TAKING =
  /exclud|exclusion|except|forbid|disallow|prohibit|blacklist|blocklist|blocked|banned|denied|denylist|embargo|blackout|restrict/;
/** Words that take away when they stand alone. */
const TAKING_ALONE = wordSet('anti ban block but deny ex minus no non not omit skip un unless without');
/** A sign before or behind a name turns it round, as in `!countries`. */
const SIGN = /^\s*[!~^-]|[!~^-]\s*$/;
/** Words that say where, when or of what something holds: a member with one of them is a limit that the format has not. */
const LIMITING = wordSet(
  `city cities countries country dma dmas geo geographies geography geos locations market markets nation nations postal
   region regions states territories territory
   after before begin begins effective end ends expiration expire expires expiry from period start starts till until valid
   validity window
   apps bundles channel channels collection collections domains placement placements properties property publishers section
   sections sites
   allowed allowlist condition conditions constraint constraints limit limited limits only permitted scope scopes whitelist`,
);
/** What says of an entry that it stands, as a member that is true or as its `status`, and what says that it does not. */
const IN_FORCE = wordSet('active approved authorised authorized current effective enabled live valid');
const ENDED = wordSet(
  'cancelled canceled deleted disabled ended expired inactive paused removed revoked revokedat suspended terminated withdrawn',
);
/** What a file is about: a member of it that takes some of this away means to narrow all its entries. */
const DIVIDED = wordSet(
  `agent agents collection collections countries country placement placements properties property publisher publishers
   region regions seller sellers site sites territories territory`,
);
/** Members that an author adds and marks as an own one. */
const EXTENSION = /^(?:x[-_]|[$_@/#])/i;
export const MAX_EDITS = 2;
/** Letters of other scripts that look like one of ours (Unicode, UTS 39), and which: people copy them without seeing it. */
const LOOKALIKES = 'авеғһіјӏмпорсԁѕтԛухνοιαρτυ';
const LATIN = 'abefhijlmnopcdstqyxvoiaptu';
/** Of a longer name nothing is compared but its beginning. */
const MAX_NAME = 200;

/** What a name may be meant as; the members that are known are no part of it. */
export interface Meant {
  /** Members that narrow, each with the letters that are compared. */
  readonly near: ReadonlyMap<string, string>;
  /** Members that narrow something else, so that only exactly their names are looked at. */
  readonly elsewhere: ReadonlySet<string>;
  /** Which limits that the format does not have are looked for: those that take away, those that say where too, or those of a file. */
  readonly limits: 'any' | 'exclusions' | 'ofFile' | 'none';
  /** What is found of a misspelt one; by default that its object authorises nothing. */
  readonly misspelt?: FindingCode;
}

/** What the names in an object may be meant as; see Meant. */
export function meantMembers(
  near: readonly string[],
  elsewhere: readonly string[] = [],
  limits: Meant['limits'] = 'any',
  misspelt?: FindingCode,
): Meant {
  const letters = near.map((name) => [name, lettersOf(name)] as const);
  return { near: new Map(letters), elsewhere: new Set(elsewhere), limits, ...(misspelt && { misspelt }) };
}

/** Members of a selector: in an entry they say whose or which properties are meant, and the format does not read them there. */
const OF_SELECTORS = ['publisher_domain', 'publisher_domains', 'selection_type'];

export const MEANT_MEMBERS: Meant = meantMembers([...NARROWING, ...OF_SELECTORS]);

/**
 * Whether a member that the reader of its object does not know may be meant as one that narrows; then an error says so. One
 * that is near a known name is misspelt; one that takes away, or that says where or when, is a limit that the format has not.
 */
export function isStray(place: FilePart, key: string, meant: Meant): boolean {
  const { near, elsewhere, limits, misspelt = 'member_misspelt' } = meant;
  const { report } = place.file;
  const pointer = pointerTo(place.pointer, key);
  if (near.has(key) || elsewhere.has(key)) {
    report.add('member_misplaced', pointer, key);
    return true;
  }
  const letters = lettersOf(key);
  const stands = saysStanding(letters, place.value[key]);
  if (EXTENSION.test(key) || stands === true) return false;
  const name = nearest(letters, near);
  const turned = limits !== 'ofFile' && isTurned(key, letters, near);
  if (name !== undefined && !turned)
    report.add(misspelt, pointer, `did you mean ${name}?`, { didYouMean: name });
  else if (name !== undefined || (turned && limits !== 'none') || isLimit(key, limits, stands))
    report.add('limit_unknown', pointer, key);
  else return false;
  return true;
}

function nearest(letters: string, near: Meant['near']): string | undefined {
  return otherWord(letters, near) ?? nearestOf(letters, near, () => MAX_EDITS);
}

function otherWord(letters: string, near: Meant['near']): string | undefined {
  const word = OTHER_WORDS.get(letters);
  return word !== undefined && near.has(word) ? word : undefined;
}

/** Whether a name is one that narrows turned round, such as `!countries` or `nocountries`: nobody may correct it to that one. */
function isTurned(key: string, letters: string, near: Meant['near']): boolean {
  if (SIGN.test(key) || (otherWord(letters, near) === undefined && takesAway(key))) return true;
  return near
    .values()
    .some((spelt) => letters.endsWith(spelt) && TAKING_ALONE.has(letters.slice(0, -spelt.length)));
}

function isLimit(key: string, limits: Meant['limits'], stands: boolean | undefined): boolean {
  if (limits === 'none') return false;
  if (limits === 'ofFile') return takesSome(key);
  if (stands === false || takesAway(key)) return true;
  return limits === 'any' && wordsOfName(key).some((word) => LIMITING.has(word));
}

/**
 * Whether a name, or a value such as a type, is in words that take away. The format has no such words: its limits name what
 * is allowed, so that nobody can tell what is left.
 */
export function takesAway(name: string): boolean {
  const words = wordsOfName(name);
  return SIGN.test(name) || TAKING.test(words.join('')) || words.some((word) => TAKING_ALONE.has(word));
}

/** Whether a name says that some of what a file is about does not count, as in `blocked_agents` or `excluded_countries`. */
export function takesSome(key: string): boolean {
  const words = wordsOfName(key);
  const isEnded = (word: string): boolean =>
    ENDED.has(word) || (!IN_FORCE.has(word) && IN_FORCE.has(word.replace(/^(?:un|non|de|dis)/, '')));
  return words.some((word) => DIVIDED.has(word)) && (takesAway(key) || words.some(isEnded));
}

/** What a member says of whether its object stands, such as `"active": false` or `"status": "paused"`; most say nothing. */
function saysStanding(letters: string, value: unknown): boolean | undefined {
  if (letters === 'status') return typeof value === 'string' && IN_FORCE.has(lettersOf(value));
  if (ENDED.has(letters)) return value === false || value === null;
  return IN_FORCE.has(letters) ? value === true : undefined;
}

/** The words of a name in any notation, in our letters and lower case. */
function wordsOfName(name: string): readonly string[] {
  const apart = name.slice(0, MAX_NAME).replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return apart.split(/[^\p{L}]+/u).flatMap((word) => lettersOf(word) || []);
}

export function lettersOf(name: string): string {
  if (!/[^ -~]/.test(name)) return name.toLowerCase().replace(/[^a-z]/g, '');
  const folded = name.slice(0, MAX_NAME).normalize('NFKD').toLowerCase();
  return folded.replace(/[^a-z]/g, (letter) => LATIN[LOOKALIKES.indexOf(letter)] ?? '');
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/));
}
