import type { MemberCard } from '../domain/agent-facts.ts';
import type { AuthorisationLimits, FileKind, PinnedKey, PropertyIdentifier } from '../domain/declaration.ts';
import type { AuthorisationVia, Coverage, ListedProperty } from '../domain/declared-facts.ts';
import type { Outcome } from '../domain/outcome.ts';

/** The edges between publishers and agents, in both directions. Every read has a bound; texts are in the order of their bytes. */
export interface Graph {
  /** Domains whose adagents.json counts now, behind `after`. */
  publishers(after: string | undefined, limit: number): Promise<readonly KnownPublisher[]>;
  /** Those of these domains that were ever looked at. */
  publishersAmong(domains: readonly string[]): Promise<readonly KnownPublisher[]>;
  /** The agents that a publisher names now, each once, by `limit` of its entries; `isCut` when it has as many or more. */
  agentsOf(
    publisher: string,
    limit: number,
  ): Promise<{ readonly edges: readonly AgentEdge[]; readonly isCut: boolean }>;
  /** The same for several publishers in one question, `limit` for each of them; in the order of publishers and agents. */
  agentsOfEach(
    publishers: readonly string[],
    limit: number,
  ): Promise<{ readonly edges: readonly AgentEdge[]; readonly isCut: boolean }>;
  /** The next publishers of an agent behind `after`, each once, at a cost that does not grow with their number. */
  publishersOf(agent: string, page: EdgePage): Promise<EdgesRead>;
  /** The next domains behind `after` that authorise the agent now for something that they have. */
  domainsOf(agent: string, after: string, limit: number): Promise<readonly string[]>;
  /** Whether any publisher ever authorised the agent, and how many do now; undefined for an agent never heard of. */
  standingOf(agent: string): Promise<{ readonly ever: boolean; readonly publishers: number } | undefined>;
  /** The first properties that a publisher lists in its file's catalogue and in entries, as many as fit. */
  properties(publisher: string, room: PropertiesRoom): Promise<PropertiesRead>;
  /** The publisher whose file counts now at this place behind `after`, from 1; undefined when there are not so many. */
  publisherAt(after: string, place: number): Promise<string | undefined>;
  /** Publishers that list an identifier. */
  publishersListing(type: string, value: string, limit: number): Promise<readonly string[]>;
  /** The live entries behind a place, of one agent or of all, in the order of agent, publisher and number. */
  entries(page: EntryPage): Promise<readonly LiveEntry[]>;
  /** The live entries of one publisher behind a number, in the order of their numbers; of one agent or of all. */
  entriesOf(publisher: string, page: PublisherEntryPage): Promise<readonly LiveEntry[]>;
  /** Domains whose file leads to the adagents.json of this one, behind `after`. */
  pointingTo(domain: string, page: DomainPage): Promise<readonly string[]>;
  /** How many do, counted up to `most`. */
  countPointingTo(domain: string, most: number): Promise<number>;
  /** Domains that the adagents.json of this one names as publishers, behind `after`. */
  namedBy(domain: string, page: DomainPage): Promise<readonly NamedPublisher[]>;
  /** Of each identifier whether any publisher lists it now. */
  areListed(identifiers: readonly PropertyIdentifier[]): Promise<readonly boolean[]>;
  /** What the file of a domain said, the newest version first; kept for as long as its contents are. */
  versions(domain: string, file: FileKind, limit: number): Promise<readonly FileVersion[]>;
  /** Agents that the brand.json of a domain names now. */
  agentsNamedBy(domain: string, limit: number): Promise<readonly string[]>;
}

export interface EdgePage {
  readonly after?: string;
  readonly limit: number;
  /** Edges that stand, or such that ended; a publisher may have both. */
  readonly isLive: boolean;
  /** Entries that are read at most; a publisher may have thousands for one agent. Default 10,000. */
  readonly entries?: number;
}

export interface EdgesRead {
  readonly edges: readonly AgentEdge[];
  /** The publisher up to which was read; absent: there are no others behind. */
  readonly last?: string;
}

/** What may be read; a single property may be as long as a file. */
export interface PropertiesRoom {
  readonly count: number;
  readonly bytes: number;
  /** Only the properties with one of these ids, wherever they stand; absent: the first ones. */
  readonly ids?: readonly string[];
}

export interface PropertiesRead {
  readonly properties: readonly ListedProperty[];
  /** What was read. */
  readonly bytes: number;
  /** The publisher lists more. */
  readonly isCut: boolean;
}

/** A domain as its adagents.json was last found. */
export interface KnownPublisher {
  readonly domain: string;
  /** Its file counts now. */
  readonly isValid: boolean;
  readonly via?: AuthorisationVia;
  readonly manager?: string;
  readonly url?: string;
  /** Of everything that the file was read from, as in FileVersion. */
  readonly contentHash?: string;
  readonly lastVisitAt?: number;
  readonly lastSuccessAt?: number;
  readonly lastOutcome?: Outcome;
  /**
   * What the last visit that learnt something of the file found, unless it counts: nothing there, or faults. Absent beside
   * `isValid: false`: no visit has learnt anything yet.
   */
  readonly lacking?: 'absent' | 'broken';
  /** Agents that it authorises for something that it has. */
  readonly agents: number;
  /** Properties in its catalogue. */
  readonly properties: number;
}

/** All entries of one publisher for one agent. */
export interface AgentEdge {
  readonly publisher: string;
  readonly agent: string;
  readonly authorizedFor?: string;
  /** It covers something that the publisher has. */
  readonly sells: boolean;
  /** Properties that the entries cover, each once. */
  readonly properties: number;
  readonly pinsKeys: boolean;
  /** Epoch milliseconds; `seenUntil` is absent while it stands. */
  readonly seenFrom: number;
  readonly seenUntil?: number;
  /** To whom the agent is registered. */
  readonly member?: MemberCard;
}

/** Where an entry stands among all. */
export interface EntryPlace {
  readonly agent: string;
  readonly publisher: string;
  /** The entry's number in these records. */
  readonly id: number;
}

export interface EntryPage {
  readonly agent?: string;
  readonly after?: EntryPlace;
  readonly limit: number;
}

export interface PublisherEntryPage {
  readonly agent?: string;
  /** The number of the last entry that was read; 0 for the beginning. */
  readonly after: number;
  readonly limit: number;
}

export interface DomainPage {
  readonly after: string;
  readonly limit: number;
}

/** A publisher that a file of another domain names. */
export interface NamedPublisher {
  readonly domain: string;
  /** Not only while our own network did not work. */
  readonly isVisited: boolean;
  /** Its own file, or its ads.txt, leads to the domain that names it. */
  readonly leadsBack: boolean;
}

/** One entry by which a publisher names an agent. */
export interface LiveEntry extends EntryPlace {
  /** JSON pointer of the entry in the file that was read. */
  readonly entry: string;
  /** It covers something that the publisher has. */
  readonly sells: boolean;
  readonly via: AuthorisationVia;
  /** The entry's authorization_type, or `all`. */
  readonly scope: string;
  readonly authorizedFor?: string;
  /** Absent: too long for a list, or not known. */
  readonly covers?: Coverage;
  /** Absent with `hasLimits`: too long for a list. */
  readonly limits?: AuthorisationLimits;
  readonly hasLimits: boolean;
  /** Absent with `pinsKeys`: too long for a list. */
  readonly signingKeys?: readonly PinnedKey[];
  readonly pinsKeys: boolean;
  /** Epoch milliseconds. */
  readonly seenFrom: number;
}

/** What a file said from one visit to another. */
export interface FileVersion {
  /** The same for two versions that say the same. */
  readonly hash: string;
  /** Of everything that it was read from; the last part is the body (SHA-256). */
  readonly contentHash: string;
  readonly via: AuthorisationVia;
  readonly manager?: string;
  readonly url: string;
  /** Agents that it authorised for something, and properties in its catalogue. */
  readonly agents: number;
  readonly properties: number;
  /** Epoch milliseconds. */
  readonly seenFrom: number;
}
