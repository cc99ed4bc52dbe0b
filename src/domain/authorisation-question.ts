import type { AuthorisationLimits, PropertyIdentifier } from './declaration.ts';
import type { Authorisation, Coverage, ListedProperty } from './declared-facts.ts';

/** May this agent sell this? */
export interface Question {
  /** Canonical agent URL. */
  readonly agent: string;
  /** Absent: whoever has the identifier. */
  readonly publisher?: string;
  /** A property of the publisher by its id, or by one of its identifiers; absent: the whole inventory. */
  readonly property?: { readonly id: string } | PropertyIdentifier;
  /** ISO 3166-1, two capitals. */
  readonly country?: string;
  readonly placement?: string;
  readonly collection?: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What an entry says of one agent. */
export interface AuthorisingEntry extends Pick<Authorisation, 'entry' | 'limits'> {
  /** Absent: too long to be read. */
  readonly covers?: Coverage;
  /** The file says it, and the registry did not count it at that moment. */
  readonly held?: true;
}

/** What is known of a publisher, as far as the question asks for it. */
export interface PublisherFacts {
  readonly publisher: string;
  /** The file that was read for it; absent: none was. */
  readonly file?: { readonly url: string; readonly stale: boolean };
  /** Nobody ever looked for a file of it. */
  readonly isUnknown?: true;
  /** Only of a moment that has passed, and without a file: since when the registry knows the publisher, epoch milliseconds. */
  readonly knownSince?: number;
  /** Whether the file lists any property of the publisher at all. */
  readonly hasCatalogue: boolean;
  /** All that the question may mean; others do no harm. */
  readonly properties: readonly ListedProperty[];
  /** The agent's entries, in force or not. */
  readonly entries: readonly AuthorisingEntry[];
  /** The first entry of its file that is left out for an error; it may have named the agent. */
  readonly leftOut?: { readonly entry: string; readonly message: string };
  /** Pointer of the line under `revoked_publisher_domains` that names the publisher. */
  readonly revoked?: string;
  /** It has vanished there and holds until then, epoch milliseconds; absent: as long as it stands. */
  readonly revokedUntil?: number;
}

/** More publishers than these are not compared: whoever asks about an app that so many list has to name one. */
export const MAX_PUBLISHERS = 50;

/** What is read for one question: anybody asks, and a file may be 20 MiB of one entry. */
export const QUESTION_BOUNDS = {
  /** Of entries and properties, by their JSON; the shortest publishers first, and no others are read. */
  bytes: 4 * 1024 * 1024,
  /** Entries of one agent at one publisher; what is beyond authorises nothing. */
  entries: 1_000,
  /** Properties of one name at one publisher; what is beyond authorises nothing. */
  properties: 200,
} as const;

/**
 * Those of the publishers that were read for a question who answer it: all, or of those that may answer for a publisher
 * that it names (`publishersNamed`) the first one with a file.
 */
export function answeringPublishers<P extends object>(
  { publisher }: Pick<Question, 'publisher'>,
  read: readonly P[],
  hasFile: (one: P) => boolean,
): readonly P[] {
  if (publisher === undefined || read.length < 2) return read;
  const first = read.find(hasFile) ?? read[0];
  return first === undefined ? [] : [first];
}

/** Why: a closed list, from what is farthest from a yes to what is nearest. */
export const AUTHORISE_CODES = [
  'unknown_publisher',
  'no_file',
  'foreign_site',
  'revoked',
  'not_named',
  'no_such_property',
  'signals_only',
  'other_property',
  'part_only',
  'unread',
  'held',
  'collection',
  'placement',
  'country',
  'ended',
  'not_yet',
  'disputed',
  'authorized',
] as const;
export type AuthoriseCode = (typeof AUTHORISE_CODES)[number];

/** One reason, with the place in the file that gives it. */
export interface Because {
  readonly publisher?: string;
  readonly file?: string;
  /** JSON pointer in that file. */
  readonly entry?: string;
  readonly code: AuthoriseCode;
  /** The rule in words. */
  readonly rule: string;
  /** Limits of the entry that the question left open: it is authorised within them. */
  readonly within?: Pick<AuthorisationLimits, 'countries' | 'collections' | 'placementIds' | 'placementTags'>;
  readonly terms?: Pick<AuthorisationLimits, 'exclusive' | 'delegationType'>;
  /** What the entry of a no does cover. */
  readonly covers?: CoveredByEntry;
  /**
   * Names for which the answer is a yes, or comes nearer to one: URLs of agents (`not_named`), publishers
   * (`unknown_publisher`, `no_file`), ids or identifiers of properties (`no_such_property`). The most likely first.
   */
  readonly nearest?: readonly string[];
}

/** What an entry covers, for people to read: each list has its first values only. */
export interface CoveredByEntry
  extends Pick<AuthorisationLimits, 'countries' | 'collections' | 'placementIds' | 'placementTags'> {
  readonly all?: Coverage['all'];
  readonly propertyIds?: readonly string[];
  readonly propertyTags?: readonly string[];
}

export interface Answer {
  readonly authorized: boolean;
  /** A yes: the entries that give it. A no: the nearest reason of each publisher. At most 20. */
  readonly because: readonly Because[];
  /** The earliest moment, epoch milliseconds, at which the answer can change although no file does. */
  readonly until?: number;
  /** The file could not be read for two intervals; the answer is that of the last good one. */
  readonly stale?: true;
}
