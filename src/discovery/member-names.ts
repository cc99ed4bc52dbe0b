import { pointerTo } from '../base/json.ts';
import { nearestOf } from '../base/near-names.ts';
import type { AuthorisationScope } from '../domain/declaration.ts';
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
const OTHER_WORDS: Readonly<Record<string, string>> = {
  collection: 'collections',
  collectionid: 'collections',
  collectionids: 'collections',
  country: 'countries',
  countrycode: 'countries',
  countrycodes: 'countries',
  effectiveto: 'effective_until',
  placement: 'placement_ids',
  placements: 'placement_ids',
  validfrom: 'effective_from',
  validto: 'effective_until',
  validuntil: 'effective_until',
};
/** Members that an author adds and marks as an own one. */
const EXTENSION = /^(?:x[-_]|[$_@/#])/i;
const MAX_EDITS = 2;

/** Members that may be meant by another name, each with the letters that are compared. */
export type Meant = ReadonlyMap<string, string>;

export function meantMembers(names: readonly string[]): Meant {
  return new Map(names.map((name) => [name, lettersOf(name)]));
}

export const MEANT_MEMBERS: Meant = meantMembers(NARROWING);

/** Whether a member that the reader of its object does not know may be meant as one that narrows; then an error says so. */
export function isStray(place: FilePart, key: string, meant: Meant): boolean {
  const { report } = place.file;
  const pointer = pointerTo(place.pointer, key);
  if (meant.has(key)) {
    report.add('member_misplaced', pointer, key);
    return true;
  }
  const name = EXTENSION.test(key) ? undefined : nearest(key, meant);
  if (name !== undefined)
    report.add('member_misspelt', pointer, `did you mean ${name}?`, { didYouMean: name });
  return name !== undefined;
}

function nearest(key: string, meant: Meant): string | undefined {
  const letters = lettersOf(key);
  const word = Object.hasOwn(OTHER_WORDS, letters) ? OTHER_WORDS[letters] : undefined;
  if (word !== undefined && meant.has(word)) return word;
  return nearestOf(letters, meant, () => MAX_EDITS);
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}
