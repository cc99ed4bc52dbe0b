import type { AgentType } from './agent-type.ts';
import type { AuthorisationLimits, Declaration, PinnedKey, Property } from './declaration.ts';

/** What a domain's declarations stand in: a discovery file, or `ard.json`, which only claims. */
export type DeclarationKind = Declaration['kind'];

/** What follows, at one moment, from one declaration: rows that can be compared with the rows of yesterday. */
export interface DeclaredFacts {
  readonly authorisations: readonly Authorisation[];
  readonly mentions: readonly Mention[];
  readonly references: readonly Reference[];
  /** Operators for whom the declaring house lets others speak (brand.json `authorized_operators`), in force now. */
  readonly operators: readonly string[];
  /** The publisher's properties: those of the catalogue, and those that stand in entries. They do not depend on time. */
  readonly properties: readonly ListedProperty[];
  /** Words of the names of the domain's brands, in no order; absent: it names none. They do not depend on time. */
  readonly brandWords?: readonly string[];
  /** The next moment, epoch milliseconds, at which the same declaration yields other facts; absent: never. */
  readonly rederiveAt?: number;
}

/** A property as a publisher lists it. */
export interface ListedProperty extends Property {
  /** Pointer of the entry in which it stands: it is only that entry's. Absent: it is in the file's catalogue. */
  readonly entry?: string;
}

/** How a publisher came to say it. */
export type AuthorisationVia = 'own' | 'reference' | 'manager';

/**
 * Ids or tags, each on a line of its own, with a line break before the first and after the last: as long as the entry
 * that names them, and searched without being taken apart (`hasName`).
 */
export type Names = string;

/** What an entry covers of its publisher's inventory, as it says it: nothing is resolved, so nothing multiplies. */
export interface Coverage {
  /** `inventory`: whatever the publisher has. `listed`: the properties that its file lists with an id. */
  readonly all?: 'inventory' | 'listed';
  readonly ids?: Names;
  /** A property with any of them. */
  readonly tags?: Names;
  /** A publisher selector named them: it means properties with an id only. */
  readonly selected?: true;
  /** The properties that stand in the entry itself. */
  readonly inline?: true;
  /** Signals, by id or tag, which are no properties. */
  readonly signals?: Names;
}

/** A publisher authorises an agent: the edge of the graph, one row for each entry. */
export interface Authorisation {
  readonly publisher: string;
  /** Canonical agent URL. */
  readonly agent: string;
  /** JSON pointer of the entry in the file that was read. */
  readonly entry: string;
  readonly declaredUrl: string;
  readonly via: AuthorisationVia;
  readonly authorizedFor?: string;
  /** The entry's authorization_type, or `all`. */
  readonly scope: string;
  readonly covers: Coverage;
  readonly limits?: AuthorisationLimits;
  /**
   * It covers no property that is known: signals alone, or ids and tags that none of the publisher's properties has. It
   * is explained, and does not make the publisher one of the agent's.
   */
  readonly sellsNothing?: true;
  /** The public keys that the entry pins for its agent. */
  readonly signingKeys?: readonly PinnedKey[];
  /** Properties that this entry adds for this agent (each counted once per publisher), by property type. */
  readonly countByType: Readonly<Record<string, number>>;
  /** Tags that this entry adds for this agent (each once per publisher); a publisher brings an agent at most 200. */
  readonly tags: readonly string[];
  /** Simple variant: claims, compared with what the agent exposes. */
  readonly claimedProtocol?: string;
  readonly claimedCapabilities?: readonly string[];
}

/** Somebody's file names an agent. Whether it may say more than "there is one" is judged when stitching. */
export interface Mention {
  readonly agent: string;
  readonly declaredUrl: string;
  /** The domain whose file it is. */
  readonly declarer: string;
  readonly file: DeclarationKind;
  readonly entry: string;
  readonly type?: AgentType;
  readonly name?: string;
  readonly description?: string;
  readonly contact?: { readonly name?: string; readonly email?: string; readonly website?: string };
  readonly claimedProtocol?: string;
  readonly claimedCapabilities?: readonly string[];
  readonly jwksUri?: string;
}

const REFERENCE_REASONS = [
  'authoritative_location',
  'manager', // ads.txt MANAGERDOMAIN
  'house', // house redirect, house_domain or house.domain
  'brand', // brand_refs, publisher.domain
  'operator', // authorized_operators
  'publisher_selector', // publisher_properties
  'agent_claim', // an agent's own portfolio
] as const;
export type ReferenceReason = (typeof REFERENCE_REASONS)[number];

/** Another domain worth a visit. */
export interface Reference {
  readonly domain: string;
  readonly reason: ReferenceReason;
}
