import type { AgentType } from './agent-type.ts';
import type { ArdDeclaration } from './ard-declaration.ts';

/** What a domain says, in one normal form whatever variant of the file it used. Pure data, no clock. */
export type Declaration = AdagentsDeclaration | BrandDeclaration | ArdDeclaration;

/** The two discovery files (specification, 4.3). */
export const FILE_KINDS = ['adagents', 'brand'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** `reference` only says where the file is; the others carry content. */
export type AdagentsVariant = 'reference' | 'inline' | 'simple' | 'legacy';

export const PROPERTY_TYPES = [
  'website',
  'mobile_app',
  'ctv_app',
  'desktop_app',
  'dooh',
  'podcast',
  'radio',
  'linear_tv',
  'streaming_audio',
  'ai_assistant',
] as const;
export type PropertyType = (typeof PROPERTY_TYPES)[number];

/** Types of identifiers that name a site by its domain. */
export const SITE_TYPES: ReadonlySet<string> = new Set(['domain', 'subdomain']);

export interface PropertyIdentifier {
  readonly type: string;
  readonly value: string;
}

export interface Property {
  readonly propertyId?: string;
  /** As declared; a value outside PROPERTY_TYPES is kept with a warning. */
  readonly propertyType: string;
  readonly name?: string;
  readonly identifiers: readonly PropertyIdentifier[];
  /** One of its identifiers could not be read or is of an unknown type, so it may have named a site. */
  readonly hasUnread?: true;
  readonly tags: readonly string[];
  /** Whose property it is, when the file speaks for several domains. */
  readonly publisherDomain?: string;
}

/** Which of other publishers' properties an entry speaks about. */
export interface PublisherSelector {
  readonly publisherDomains: readonly string[];
  readonly selection:
    | { readonly type: 'all' }
    | { readonly type: 'by_id'; readonly propertyIds: readonly string[] }
    | { readonly type: 'by_tag'; readonly propertyTags: readonly string[] };
}

/** What an entry authorises its agent for (`authorization_type` with its companion). */
export type AuthorisationScope =
  | { readonly type: 'all' } // simple and legacy variants: the whole inventory
  | { readonly type: 'property_ids'; readonly propertyIds: readonly string[] }
  | { readonly type: 'property_tags'; readonly propertyTags: readonly string[] }
  | { readonly type: 'inline_properties'; readonly properties: readonly Property[] }
  | { readonly type: 'publisher_properties'; readonly selectors: readonly PublisherSelector[] }
  | { readonly type: 'signal_ids'; readonly signalIds: readonly string[] }
  | { readonly type: 'signal_tags'; readonly signalTags: readonly string[] };

/** Collections that are declared in a publisher's file: those that are named, or all. */
export interface CollectionSelector {
  readonly publisherDomain: string;
  /** Absent: all of them. */
  readonly collectionIds?: readonly string[];
}

export interface AuthorisationLimits {
  readonly delegationType?: 'direct' | 'delegated' | 'ad_network';
  readonly exclusive?: boolean;
  readonly countries?: readonly string[];
  readonly collections?: readonly CollectionSelector[];
  readonly placementIds?: readonly string[];
  readonly placementTags?: readonly string[];
  /** Ids of the placements that have one of these tags in the same file. Absent: there were too many to tell. */
  readonly taggedPlacements?: readonly string[];
  /** Both are epoch milliseconds; the authorisation ends at the second. */
  readonly effectiveFrom?: number;
  readonly effectiveUntil?: number;
}

/** A public key pinned in an entry: a JWK as declared, private members removed. */
export type PinnedKey = Readonly<Record<string, unknown>> & { readonly kid: string; readonly kty: string };

export interface AuthorisationEntry {
  /** JSON pointer of the entry in its file; its identity there. */
  readonly pointer: string;
  /** As declared, byte for byte: this is what is dialled. */
  readonly url: string;
  /** Canonical: the agent's identity. */
  readonly agent: string;
  readonly authorizedFor?: string;
  readonly scope: AuthorisationScope;
  readonly limits: AuthorisationLimits;
  readonly signingKeys: readonly PinnedKey[];
  /** Simple variant: claims, compared later with what the agent exposes. */
  readonly claimedProtocol?: string;
  readonly claimedCapabilities?: readonly string[];
  /** Legacy variant. */
  readonly relationship?: string;
}

export interface Revocation {
  readonly publisherDomain: string;
  /** As declared, epoch milliseconds. A listed domain is revoked, also when this lies ahead. */
  readonly revokedAt?: number;
  readonly reason?: string;
  /** It has vanished from the file and holds until then, epoch milliseconds. */
  readonly heldUntil?: number;
}

export interface AdagentsDeclaration {
  readonly kind: 'adagents';
  readonly variant: AdagentsVariant;
  /** Only in the reference variant. */
  readonly authoritativeLocation?: string;
  /** Only in the reference variant: what it says itself, where it has `authorized_agents` beside. */
  readonly beside?: AdagentsDeclaration;
  readonly entries: readonly AuthorisationEntry[];
  readonly properties: readonly Property[];
  /** The file lists properties that are not here: of others, in the part of a shared file for one domain; or unreadable ones. */
  readonly listsOthers?: true;
  readonly revokedPublisherDomains: readonly Revocation[];
  readonly publisher?: { readonly name?: string; readonly domain?: string };
  readonly contact?: {
    readonly name?: string;
    readonly email?: string;
    readonly domain?: string;
    readonly sellerId?: string;
  };
  /** Sizes of the catalogue's other parts, as declared. */
  readonly catalogue: {
    readonly collections: number;
    readonly placements: number;
    readonly formats: number;
    readonly signals: number;
  };
  readonly lastUpdated?: string;
}

export type BrandVariant = 'redirect' | 'house_redirect' | 'agents_only' | 'house_portfolio' | 'brand';

export interface BrandAgent {
  readonly pointer: string;
  readonly url: string;
  readonly agent: string;
  readonly type: AgentType;
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  /** Absent: `/.well-known/jwks.json` on the agent's origin. */
  readonly jwksUri?: string;
  /** The brand whose entry or identity_agent this is, in a portfolio. */
  readonly brandId?: string;
}

export interface BrandEntry {
  readonly id: string;
  /** Language to name. */
  readonly names: readonly { readonly language: string; readonly name: string }[];
}

export interface AuthorizedOperator {
  readonly domain: string;
  readonly brands: readonly string[];
  readonly countries: readonly string[];
  readonly scopes: readonly string[];
  readonly validFrom?: number;
  readonly validUntil?: number;
}

export interface BrandDeclaration {
  readonly kind: 'brand';
  readonly variant: BrandVariant;
  /** Variant `redirect`: the URL of the file that counts. */
  readonly authoritativeLocation?: string;
  readonly redirectReason?: string;
  /** Variant `redirect`: epoch milliseconds before which the redirect does not count yet. */
  readonly redirectEffectiveAt?: number;
  /** Variant `house_redirect`: the house's domain. Variant `brand`: the house that it names. */
  readonly houseDomain?: string;
  readonly house?: { readonly domain: string; readonly name?: string };
  readonly brands: readonly BrandEntry[];
  readonly brandRefs: readonly {
    readonly domain: string;
    readonly brandId?: string;
    readonly effectiveAt?: number;
  }[];
  readonly agents: readonly BrandAgent[];
  readonly authorizedOperators: readonly AuthorizedOperator[];
  readonly contact?: { readonly name?: string; readonly email?: string; readonly website?: string };
  readonly lastUpdated?: string;
}
