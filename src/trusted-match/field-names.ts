import type { LeakKind, MatchOperation } from '../domain/trusted-match.ts';

/** Parts of names that speak of somebody. */
const USER_WORDS = new Set(
  `account address advertising age audience audiences birth birthday birthdate browser client consent cookie cookies
   crm customer device dob eid eids email fingerprint gaid gdpr gender geo guid hem household id5 identity identities
   idfa idfv ip ipaddress ipv4 ipv6 lat latitude login lon longitude maid mail member msisdn person phone ppid
   profile rampid segment segments session ssn subscriber tel token tokens ua uid uid2 user userid username users uuid
   visitor yob zip`.split(/\s+/),
);
/** Parts of names that speak of a page or a place on one. */
const PAGE_WORDS = new Set(
  `ad adunit app article artifact bundle canonical category categories channel content context description domain
   episode format formats genre headline href html iab inventory keyword keywords language location page pageurl
   pageview path placement placements podcast program programme property publisher query ref referer referrer screen
   search section sensitive series site slot slug text title topic topics uri url urls video website`.split(
    /\s+/,
  ),
);

/** What an unknown member is counted as: its name says whether it speaks of what the operation must not know. */
export function kindOfName(name: string, operation: MatchOperation): LeakKind {
  const parts = partsOf(name);
  if (operation === 'context')
    return parts.some((part) => USER_WORDS.has(part)) ? 'user_field' : 'unknown_field';
  return parts.some((part) => PAGE_WORDS.has(part)) ? 'page_field' : 'unknown_field';
}

/** The words of a name, small, and without the disguise of letters that only look like Latin ones. */
function partsOf(name: string): readonly string[] {
  const plain = [
    ...name
      .slice(0, 200)
      .normalize('NFKD')
      .replace(/[\p{M}\p{Cf}\p{Cc}]/gu, ''),
  ]
    .map((letter) => LOOK_ALIKES.get(letter) ?? letter)
    .join('');
  const words = plain
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return [...words, words.join('')];
}

/** Letters of Cyrillic and Greek that look like Latin ones (Unicode, confusables.txt), as far as names are made of them. */
const LOOK_ALIKES = new Map<string, string>(
  [
    ['аеорсухіјѕһԁԛԝкмтвнгп', 'aeopcyxijshdqwkmtbhrn'],
    ['АВЕКМНОРСТУХІЈЅ', 'ABEKMHOPCTYXIJS'],
    ['αεικνορτυχγ', 'aeiknoptuxy'],
    ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
    ['ıɩɡɑ', 'iiga'],
  ].flatMap(([from = '', to = '']) => [...from].map((letter, at) => [letter, to[at] ?? ''] as const)),
);
