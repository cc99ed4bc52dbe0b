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
  enddate: 'effective_until',
  expires: 'effective_until',
  expiresat: 'effective_until',
  geo: 'countries',
  notafter: 'effective_until',
  notbefore: 'effective_from',
  placement: 'placement_ids',
  placements: 'placement_ids',
  startdate: 'effective_from',
  territories: 'countries',
  territory: 'countries',
  validfrom: 'effective_from',
  validto: 'effective_until',
  validuntil: 'effective_until',
};
/** Members that an author adds and marks as an own one. */
const EXTENSION = /^(?:x[-_]|[$_@/#])/i;
const MAX_EDITS = 2;
/** Letters of other scripts that look like one of ours (Unicode, UTS 39), and which: people copy them without seeing it. */
const LOOKALIKES = 'авеғһіјӏмпорсԁѕтԛухνοιαρτυ';
const LATIN = 'abefhijlmnopcdstqyxvoiaptu';
/** Of a longer name nothing is compared but its beginning. */
const MAX_NAME = 200;

/** Members that may be meant by another name, each with the letters that are compared. */
export type Meant = ReadonlyMap<string, string>;

export function meantMembers(names: readonly string[]): Meant {
  return new Map(names.map((name) => [name, lettersOf(name)]));
}

/** Members of a selector: in an entry they say whose or which properties are meant, and the format does not read them there. */
const OF_SELECTORS = ['publisher_domain', 'publisher_domains', 'selection_type'];

export const MEANT_MEMBERS: Meant = meantMembers([...NARROWING, ...OF_SELECTORS]);

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
  if (!/[^ -~]/.test(name)) return name.toLowerCase().replace(/[^a-z]/g, '');
  const folded = name.slice(0, MAX_NAME).normalize('NFKD').toLowerCase();
  return folded.replace(/[^a-z]/g, (letter) => LATIN[LOOKALIKES.indexOf(letter)] ?? '');
}
