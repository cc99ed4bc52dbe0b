// Made from schemas/protocol by tools/generate-protocol-types.ts; a change here is lost.
/** What was done with one item of a sync task. */
export type SyncAction = 'created' | 'updated' | 'unchanged' | 'deleted' | 'failed';
/** A currency as in ISO 4217. */
export type Currency = string;
/** The error codes that this version defines. */
export type KnownErrorCode =
  | 'INVALID_REQUEST'
  | 'VALIDATION_ERROR'
  | 'REQUEST_TOO_LARGE'
  | 'UNKNOWN_TASK'
  | 'SCHEMA_MISMATCH'
  | 'VERSION_UNSUPPORTED'
  | 'UNSUPPORTED_FEATURE'
  | 'AUTH_REQUIRED'
  | 'PERMISSION_DENIED'
  | 'RATE_LIMITED'
  | 'SERVICE_UNAVAILABLE'
  | 'INTERNAL_ERROR'
  | 'CONFLICT'
  | 'IDEMPOTENCY_CONFLICT'
  | 'IDEMPOTENCY_EXPIRED'
  | 'IDEMPOTENCY_IN_FLIGHT'
  | 'ACCOUNT_NOT_FOUND'
  | 'ACCOUNT_SETUP_REQUIRED'
  | 'ACCOUNT_SUSPENDED'
  | 'BILLING_NOT_SUPPORTED'
  | 'PRODUCT_NOT_FOUND'
  | 'PRODUCT_UNAVAILABLE'
  | 'PRICING_OPTION_NOT_FOUND'
  | 'FORMAT_NOT_FOUND'
  | 'MEDIA_BUY_NOT_FOUND'
  | 'PACKAGE_NOT_FOUND'
  | 'CREATIVE_NOT_FOUND'
  | 'CREATIVE_REJECTED'
  | 'SIGNAL_NOT_FOUND'
  | 'PLAN_NOT_FOUND'
  | 'REFERENCE_NOT_FOUND'
  | 'AUDIENCE_TOO_SMALL'
  | 'INVALID_STATE'
  | 'NOT_CANCELLABLE'
  | 'BUDGET_TOO_LOW'
  | 'BUDGET_EXCEEDED'
  | 'BUDGET_EXHAUSTED'
  | 'FLIGHT_INVALID'
  | 'FLIGHT_IN_PAST'
  | 'POLICY_VIOLATION'
  | 'GOVERNANCE_DENIED'
  | 'GOVERNANCE_UNAVAILABLE'
  | 'APPROVAL_REQUIRED'
  | 'APPROVAL_INVALID';
/** Whether a retry helps: correctable, after a change of the request; transient, the same request later; terminal, not at all. */
export type Recovery = 'correctable' | 'transient' | 'terminal';
/**
 * What was wrong with one item, while its neighbours were taken.
 *
 * @maxItems 100
 */
export type Errors = readonly ProtocolError[];
/** Unique for each logical request: a repetition with the same key and payload gives the first result again, with replayed: true, and changes nothing. */
export type IdempotencyKey = string;
/** A moment in ISO 8601 and UTC, as RFC 3339 writes it. */
export type UtcTime = string;
/**
 * People by hashes: SHA-256, hexadecimal, of the normalised value.
 *
 * @maxItems 10000
 */
export type AudienceMembers = readonly AudienceMembersItem[];
/** Money to spend, in the currency’s main unit; never below zero. */
export type Budget = number;
/** An advertising channel. */
export type Channel = string;
/** Where a media buy stands. */
export type MediaBuyStatus =
  'pending_creatives' | 'pending_start' | 'active' | 'paused' | 'completed' | 'rejected' | 'canceled';
/** The media buy, its fields at the root. */
export type CreateMediaBuyResponse = MediaBuy & CreateMediaBuyResponse1;
/** The media buy as it is now, its fields at the root. */
export type UpdateMediaBuyResponse = MediaBuy & UpdateMediaBuyResponse1;

/** Lists the buyer’s accounts at a seller. */
export interface ListAccountsRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  readonly brand?: Brand;
  /** Only with this status; absent: active. */
  readonly status?: string;
  readonly pagination?: PaginationRequest;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** A brand, by the domain on which its brand.json is. */
export interface Brand {
  /** Host name, lower case, without scheme and path. */
  readonly domain: string;
  /** Which brand of a house with several, as in its brand.json. */
  readonly brand_id?: string;
}
/** Which part of a long list is wanted. */
export interface PaginationRequest {
  /** At most so many. */
  readonly max_results?: number;
  /** The cursor of the page before. */
  readonly cursor?: string;
}
/** Anything of the caller’s own; the answer repeats it unchanged. */
export interface Context {
  readonly [k: string]: unknown;
}
/** Members that this version does not know, by vendor. */
export interface Ext {
  readonly [k: string]: unknown;
}
/** The relationships that the caller may see. */
export interface ListAccountsResponse {
  /**
   * The accounts.
   *
   * @maxItems 1000
   */
  readonly accounts: readonly AccountRecord[];
  readonly pagination?: PaginationResponse;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** A relationship between a brand, its operator and a seller, as the seller keeps it. */
export interface AccountRecord {
  /** The seller’s name of the account. */
  readonly account_id?: string;
  /** A name to show. */
  readonly name?: string;
  readonly brand: Brand;
  /** Domain of the company that acts for the brand. */
  readonly operator: string;
  /** Who is billed. */
  readonly billing?: string;
  /** Only an active account can buy. With information_needed, missing_information says what to send. */
  readonly status: 'active' | 'pending_review' | 'information_needed' | 'suspended' | 'closed' | 'rejected';
  /**
   * What the seller still needs.
   *
   * @maxItems 50
   */
  readonly missing_information?: readonly AccountRecordMissingInformationItem[];
  readonly action?: SyncAction;
  readonly currency?: Currency;
  /** True for an account in which nothing is real. */
  readonly sandbox?: boolean;
  readonly spend_limit?: Money;
  readonly errors?: Errors;
}
/** One thing that is missing. */
export interface AccountRecordMissingInformationItem {
  /** A name for it. */
  readonly field: string;
  /** What it is and in which form. */
  readonly description: string;
  /** Where a person can give it. */
  readonly url?: string;
}
/** An amount in a currency. */
export interface Money {
  /** In the currency’s main unit. */
  readonly amount: number;
  readonly currency: Currency;
}
/** Why a task was refused: the same object over MCP (isError: true) and A2A (a failed task). */
export interface ProtocolError {
  /** One of the known codes, or an agent’s own. */
  readonly code: KnownErrorCode | string;
  /** One sentence: the place and the reason. */
  readonly message: string;
  /** JSON Pointer (RFC 6901) into the request, to the missing member where one is missing; empty for the request as a whole. */
  readonly pointer?: string;
  readonly recovery: Recovery;
  /** Seconds to wait before the same request can succeed. */
  readonly retry_after?: number;
  /** What to do about it. */
  readonly suggestion?: string;
  /**
   * Every place that is wrong, when there are several; the first is the one above.
   *
   * @maxItems 20
   */
  readonly issues?: readonly ProtocolErrorIssuesItem[];
  /** Figures and names that belong to the code. */
  readonly details?: {
    readonly [k: string]: unknown;
  };
}
/** One wrong place. */
export interface ProtocolErrorIssuesItem {
  /** JSON Pointer (RFC 6901) into the request, to the missing member where one is missing; empty for the request as a whole. */
  readonly pointer: string;
  /** What is wrong there. */
  readonly message: string;
  /** The rule of the schema that is broken. */
  readonly keyword?: string;
}
/** Whether more follow. */
export interface PaginationResponse {
  /** True when there is another page. */
  readonly has_more: boolean;
  /** What to send for the next page. */
  readonly cursor?: string;
  /** All that match, when it is known. */
  readonly total_count?: number;
}
/** Opens or updates the buyer’s accounts at a seller. */
export interface SyncAccountsRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  readonly idempotency_key: IdempotencyKey;
  /**
   * The accounts that the buyer wants.
   *
   * @minItems 1
   * @maxItems 1000
   */
  readonly accounts: readonly SyncAccountsRequestAccountsItem[];
  /** True to learn the outcome and change nothing. */
  readonly dry_run?: boolean;
  readonly push_notification_config?: PushNotificationConfig;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** One relationship. */
export interface SyncAccountsRequestAccountsItem {
  readonly brand: Brand;
  /** Domain of the company that acts for the brand. */
  readonly operator: string;
  /** Who is billed. */
  readonly billing?: string;
  /** A name to show. */
  readonly name?: string;
  readonly currency?: Currency;
  /** True for an account in which nothing is real. */
  readonly sandbox?: boolean;
  /** Answers to missing_information, by field. */
  readonly information?: {
    readonly [k: string]: unknown;
  };
}
/** Where a signed webhook is posted when something changes. */
export interface PushNotificationConfig {
  /** An https address of the caller. */
  readonly url: string;
  /** The caller’s own name of the operation, repeated in every webhook. */
  readonly operation_id?: string;
  /** Repeated in every webhook, so that the receiver can tell it is meant. */
  readonly token?: string;
  readonly authentication?: WebhookAuthentication;
}
/** The older way of the public protocol: a shared secret authenticates the webhooks in place of a signature. Agents of this vocabulary refuse it with UNSUPPORTED_FEATURE, and never ignore it. */
export interface WebhookAuthentication {
  /**
   * Exactly one.
   *
   * @minItems 1
   * @maxItems 1
   */
  readonly schemes: readonly ('Bearer' | 'HMAC-SHA256')[];
  /** The token, or the secret. */
  readonly credentials: string;
}
/** The accounts with their status: active, pending review, or what is still needed. */
export interface SyncAccountsResponse {
  /**
   * In the order of the request.
   *
   * @maxItems 1000
   */
  readonly accounts: readonly AccountRecord[];
  /** True when nothing was changed. */
  readonly dry_run?: boolean;
  /** True when this is the stored result of an earlier request with the same idempotency_key; nothing was done again. */
  readonly replayed?: boolean;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Licenses a right for a campaign. An extension: not in the specification’s list of tasks. */
export interface AcquireRightsRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  readonly idempotency_key: IdempotencyKey;
  /** Which right. */
  readonly rights_id: string;
  readonly brand: Brand;
  readonly account?: Account;
  /** Which pricing option. */
  readonly pricing_option_id?: string;
  /** What it is used for. */
  readonly campaign?: {
    /** In plain words. */
    readonly description?: string;
    /**
     * The uses.
     *
     * @maxItems 100
     */
    readonly uses?: readonly string[];
    /**
     * ISO 3166-1 alpha-2 codes.
     *
     * @maxItems 300
     */
    readonly countries?: readonly string[];
    readonly period?: Period;
    /** At most so many. */
    readonly impressions?: number;
  };
  /** The governance plan. */
  readonly plan_id?: string;
  /** A governance approval: the compact JWS that check_governance gave for this very payload. */
  readonly governance_approval?: string;
  readonly push_notification_config?: PushNotificationConfig;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** For whom is bought, and by whom: a brand and the operator that acts for it. */
export interface Account {
  readonly brand: Brand;
  /** Domain of the company that acts for the brand; the brand’s own when it acts itself. */
  readonly operator: string;
  /** The seller’s name of the account. */
  readonly account_id?: string;
  /** True for an account in which nothing is real. */
  readonly sandbox?: boolean;
}
/** From start (included) to end (excluded). */
export interface Period {
  readonly start: UtcTime;
  readonly end: UtcTime;
}
/** The licence, or why there is none. An extension: not in the specification’s list of tasks. */
export interface AcquireRightsResponse {
  /** Which right. */
  readonly rights_id: string;
  /** Names the licence. */
  readonly acquisition_id?: string;
  /** Whether it is licensed. */
  readonly status: 'acquired' | 'pending_approval' | 'rejected';
  /** Why not, or what is waited for. */
  readonly reason?: string;
  /** What the licence allows. */
  readonly terms?: {
    /**
     * The uses.
     *
     * @maxItems 100
     */
    readonly uses?: readonly string[];
    /**
     * ISO 3166-1 alpha-2 codes.
     *
     * @maxItems 300
     */
    readonly countries?: readonly string[];
    readonly period?: Period;
    readonly price?: Money;
    /** At most so many. */
    readonly impressions?: number;
  };
  /** What an agent shows that uses the right. */
  readonly usage_token?: string;
  /** True when this is the stored result of an earlier request with the same idempotency_key; nothing was done again. */
  readonly replayed?: boolean;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Asks how a brand looks and speaks. */
export interface GetBrandIdentityRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  readonly brand?: Brand;
  /** Which brand of the house. */
  readonly brand_id?: string;
  /**
   * Only these members.
   *
   * @maxItems 100
   */
  readonly fields?: readonly string[];
  readonly context?: Context;
  readonly ext?: Ext;
}
/** The brand’s guidelines: colours, logos, tone, visual guidelines. */
export interface GetBrandIdentityResponse {
  /** Which brand. */
  readonly brand_id?: string;
  /** Its name. */
  readonly name?: string;
  /**
   * Its names by language.
   *
   * @maxItems 100
   */
  readonly names?: readonly GetBrandIdentityResponseNamesItem[];
  /** The company behind it. */
  readonly house?: {
    /** Its domain. */
    readonly domain?: string;
    /** Its name. */
    readonly name?: string;
  };
  /** What it is. */
  readonly description?: string;
  /** By role: primary, secondary, accent, background, text. CSS notation. */
  readonly colors?: {
    readonly [k: string]: string | readonly string[];
  };
  /**
   * Its logos.
   *
   * @maxItems 100
   */
  readonly logos?: readonly Logo[];
  /** How it speaks. */
  tone?:
    | string
    | {
        /** In a sentence. */
        readonly voice?: string;
        /**
         * In words.
         *
         * @maxItems 100
         */
        readonly attributes?: readonly string[];
        /**
         * What to do.
         *
         * @maxItems 100
         */
        readonly dos?: readonly string[];
        /**
         * What not to do.
         *
         * @maxItems 100
         */
        readonly donts?: readonly string[];
      };
  /** How it looks. */
  visual_guidelines?:
    | string
    | {
        readonly [k: string]: unknown;
      };
  /** Its line. */
  readonly tagline?: string;
  readonly context?: Context;
  readonly ext?: Ext;
}
export interface GetBrandIdentityResponseNamesItem {
  readonly [k: string]: string;
}
/** A picture of the brand’s name or sign. */
export interface Logo {
  /** Where it is. */
  readonly url: string;
  /** What it is for. */
  readonly usage?: string;
  /** On which ground it stands. */
  readonly background?: string;
  /** Pixels. */
  readonly width?: number;
  /** Pixels. */
  readonly height?: number;
}
/** Finds rights to faces, voices and works. An extension: not in the specification’s list of tasks. */
export interface GetRightsRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  /** What is wanted, in plain words. */
  readonly query?: string;
  /**
   * These rights.
   *
   * @minItems 1
   * @maxItems 1000
   *
   * Items: A right.
   */
  readonly rights_ids?: readonly string[];
  readonly brand?: Brand;
  /**
   * For these uses.
   *
   * @maxItems 100
   */
  readonly uses?: readonly string[];
  /**
   * ISO 3166-1 alpha-2 codes.
   *
   * @maxItems 300
   */
  readonly countries?: readonly string[];
  readonly pagination?: PaginationRequest;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Rights that can be licensed, the best first. An extension: not in the specification’s list of tasks. */
export interface GetRightsResponse {
  /**
   * The rights.
   *
   * @maxItems 1000
   */
  readonly rights: readonly Right[];
  /**
   * Rights that were left out, and why.
   *
   * @maxItems 1000
   */
  readonly excluded?: readonly GetRightsResponseExcludedItem[];
  readonly pagination?: PaginationResponse;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Something that can be licensed: a face, a voice, a work. */
export interface Right {
  /** What a licence names it by. */
  readonly rights_id: string;
  /** A name to show. */
  readonly name: string;
  /** What it is. */
  readonly description?: string;
  /** What is licensed. */
  readonly rights_type?: string;
  /**
   * What it may be used for.
   *
   * @maxItems 100
   */
  readonly uses?: readonly string[];
  /**
   * ISO 3166-1 alpha-2 codes of where.
   *
   * @maxItems 300
   */
  readonly countries?: readonly string[];
  /** False while somebody else has it. */
  readonly available?: boolean;
  /**
   * How it can be paid for.
   *
   * @maxItems 100
   */
  readonly pricing_options?: readonly PricingOption[];
}
/** One way to pay for a product, a segment or a right. */
export interface PricingOption {
  /** What an order names it by. */
  readonly pricing_option_id?: string;
  /** How the price is counted. */
  readonly model: string;
  /** In the currency’s main unit, for one unit of the model. */
  readonly price: number;
  readonly currency: Currency;
  /** The least budget of a package that takes it. */
  readonly min_spend?: number;
}
/** One right. */
export interface GetRightsResponseExcludedItem {
  /** Which. */
  readonly rights_id: string;
  /** Why. */
  readonly reason: string;
}
/** A segment at a destination. */
export interface Activation {
  /** Kind of the destination. */
  readonly type: string;
  /** Name of the platform. */
  readonly platform?: string;
  /** Address of the agent. */
  readonly agent_url?: string;
  /** The account there. */
  readonly account?: string;
  /** Whether it can be used there. */
  readonly status: 'available' | 'pending' | 'active' | 'failed' | 'inactive';
  /** What names the segment there. */
  readonly activation_key?: string;
  /** How long an activation takes. */
  readonly estimated_minutes?: number;
  /** Since when. */
  readonly activated_at?: string;
  readonly errors?: Errors;
}
/** One part of a creative: a file elsewhere, or a text. */
export interface Asset {
  /** Kind of the asset. */
  readonly asset_type: string;
  /** Where the file is. */
  readonly url?: string;
  /** Pixels. */
  readonly width?: number;
  /** Pixels. */
  readonly height?: number;
  /** Milliseconds. */
  readonly duration_ms?: number;
  /** The text itself, when it is no file. */
  readonly content?: string;
  /** Media type of the file. */
  readonly mime_type?: string;
  /** Codec of the file. */
  readonly codec?: string;
  /** Bytes. */
  readonly file_size_bytes?: number;
}
/** A list of people, by hashes only. */
export interface Audience {
  /** The buyer’s name for it. */
  readonly audience_id: string;
  /** A name to show. */
  readonly name?: string;
  /** What it is for; suppression leaves its members out. */
  readonly audience_type?: string;
  /** Who is in it. */
  readonly description?: string;
  readonly add?: AudienceMembers;
  readonly remove?: AudienceMembers;
  /** True to delete the audience. */
  readonly delete?: boolean;
}
/** One person. */
export interface AudienceMembersItem {
  /** The buyer’s own opaque name. */
  readonly external_id?: string;
  /** Of the trimmed, lower-case address. */
  readonly hashed_email?: string;
  /** Of the number in E.164. */
  readonly hashed_phone?: string;
}
/** One line of a plan’s log. Entries are chained: hash covers the entry and previous_hash, so that a change shows. */
export interface AuditEntry {
  /** When. */
  readonly timestamp: string;
  /** Who. */
  readonly actor: string;
  /** What. */
  readonly action: string;
  /** What it was about. */
  readonly details?: {
    readonly [k: string]: unknown;
  };
  /** Why. */
  readonly reason?: string;
  /**
   * Under which conditions.
   *
   * @maxItems 100
   */
  readonly conditions?: readonly string[];
  /** Of which plan. */
  readonly plan_id?: string;
  /** Of which check. */
  readonly check_id?: string;
  /** Its place in the log. */
  readonly sequence?: number;
  /** SHA-256, hexadecimal, of the entry and previous_hash. */
  readonly hash?: string;
  /** The hash of the entry before. */
  readonly previous_hash?: string;
}
/** What may be spent without a human. */
export interface Authority {
  readonly max_amount?: Budget;
  /**
   * Agents that may act under the plan; absent: any.
   *
   * @maxItems 100
   *
   * Items: Address of an agent.
   */
  readonly callers?: readonly string[];
  /**
   * Who is asked.
   *
   * @maxItems 100
   */
  readonly approvers?: readonly string[];
}
/** A feed of things to advertise. */
export interface Catalog {
  /** The buyer’s name for it. */
  readonly catalog_id: string;
  /** A name to show. */
  readonly name?: string;
  /** What is in it. */
  readonly type?: string;
  /** Where the feed is. */
  readonly url?: string;
  /** Format of the feed. */
  readonly feed_format?: string;
  /** How often it changes. */
  readonly update_frequency?: string;
  /** True to delete the catalogue. */
  readonly delete?: boolean;
  /**
   * The items themselves, in place of a feed.
   *
   * @maxItems 1000
   */
  readonly items?: readonly CatalogItemsItem[];
}
export interface CatalogItemsItem {
  readonly [k: string]: unknown;
}
/** A creative under the buyer’s name for it. */
export interface Creative {
  /** The buyer’s name for it. */
  readonly creative_id: string;
  /** A name to show. */
  readonly name: string;
  readonly format_id: FormatId;
  /** By the name of the asset in the format. */
  readonly assets: {
    readonly [k: string]: Asset;
  };
}
/** A creative format: the agent that defines it, and its name there. */
export interface FormatId {
  /** Address of the creative agent. */
  readonly agent_url: string;
  /** Name of the format at that agent. */
  readonly id: string;
}
/** A creative that runs in a package. */
export interface CreativeAssignment {
  /** Which creative. */
  readonly creative_id: string;
  /** Its share among the package’s creatives. */
  readonly weight?: number;
}
/** A creative without a name: a format and its assets. */
export interface CreativeManifest {
  readonly format_id: FormatId;
  /** By the name of the asset in the format. */
  readonly assets: {
    readonly [k: string]: Asset;
  };
}
/** Where a segment is activated: on a platform, or at an agent. */
export interface Destination {
  /** Kind of the destination. */
  readonly type: string;
  /** Name of the platform; with type platform. */
  readonly platform?: string;
  /** Address of the agent; with type agent. */
  readonly agent_url?: string;
  /** The account there. */
  readonly account?: string;
}
/** Width and height in pixels. */
export interface Dimensions {
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
}
/** How long something may run. */
export interface DurationLimits {
  /** Milliseconds. */
  readonly min_ms?: number;
  /** Milliseconds. */
  readonly max_ms?: number;
}
/** Something that a person did after an advertisement. */
export interface Event {
  /** Unique within the event source: a repetition is counted once. */
  readonly event_id: string;
  /** What was done. */
  readonly event_type: string;
  /** When. */
  readonly event_time: string;
  /** Where. */
  readonly action_source?: string;
  /** The page. */
  readonly event_source_url?: string;
  /** Figures about it. */
  readonly custom_data?: {
    /** What it was worth. */
    readonly value?: number;
    readonly currency?: Currency;
    /** The order. */
    readonly order_id?: string;
  };
  /** Hashes that tell the person apart. */
  readonly user_match?: {
    /** SHA-256, hexadecimal. */
    readonly hashed_email?: string;
    /** From the advertisement. */
    readonly click_id?: string;
  };
}
/** What a product or package is expected to deliver. */
export interface Forecast {
  readonly impressions?: Range;
  readonly clicks?: Range;
  readonly spend?: Range;
  /** What the forecast assumes. */
  readonly basis?: string;
}
/** From min to max. */
export interface Range {
  /** The least that is expected. */
  readonly min: number;
  /** The most that is expected. */
  readonly max: number;
}
/** A creative format with its specifications. */
export interface Format {
  readonly format_id: FormatId;
  /** A name to show. */
  readonly name: string;
  /** What it is. */
  readonly description?: string;
  /** Kind of the format. */
  readonly type: string;
  readonly dimensions?: Dimensions;
  /**
   * Codecs that are taken.
   *
   * @maxItems 100
   */
  readonly codecs?: readonly string[];
  /**
   * Media types that are taken.
   *
   * @maxItems 100
   */
  readonly mime_types?: readonly string[];
  /** Limits of a file. */
  readonly file_sizes?: {
    /** Bytes. */
    readonly max_bytes?: number;
  };
  readonly duration_limits?: DurationLimits;
  /**
   * What a creative of this format is made of.
   *
   * @maxItems 100
   */
  readonly assets?: readonly FormatAssetsItem[];
}
/** One asset. */
export interface FormatAssetsItem {
  /** Its key in a creative’s assets. */
  readonly name: string;
  /** Kind of the asset. */
  readonly asset_type: string;
  /** True when a creative must have it. */
  readonly required?: boolean;
  /** Characters of a text. */
  readonly max_length?: number;
  readonly dimensions?: Dimensions;
  /**
   * Codecs that are taken.
   *
   * @maxItems 100
   */
  readonly codecs?: readonly string[];
  /**
   * Media types that are taken.
   *
   * @maxItems 100
   */
  readonly mime_types?: readonly string[];
  /** Limits of a file. */
  readonly file_sizes?: {
    /** Bytes. */
    readonly max_bytes?: number;
  };
  readonly duration_limits?: DurationLimits;
}
/** An order as the seller keeps it. */
export interface MediaBuy {
  /** The seller’s name for it. */
  readonly media_buy_id: string;
  readonly account?: Account;
  readonly brand?: Brand;
  readonly status: MediaBuyStatus;
  /** First moment of the flight. */
  readonly start_time?: string;
  /** End of the flight. */
  readonly end_time?: string;
  readonly total_budget?: Money;
  /**
   * Its lines.
   *
   * @maxItems 1000
   */
  readonly packages: readonly Package[];
  /** Grows with each change. */
  readonly revision?: number;
  /** When it was ordered. */
  readonly created_at?: string;
  /** When it last changed. */
  readonly updated_at?: string;
  /** When creatives must be there. */
  readonly creative_deadline?: string;
  /** Why it was rejected. */
  readonly rejection_reason?: string;
  /** Why it was canceled. */
  readonly cancellation_reason?: string;
}
/** One line of a media buy, as the seller keeps it. */
export interface Package {
  /** The seller’s name for it. */
  readonly package_id: string;
  /** Which product. */
  readonly product_id: string;
  readonly budget: Budget;
  /** Which pricing option. */
  readonly pricing_option_id?: string;
  readonly status?: MediaBuyStatus;
  /** True while it is halted. */
  readonly paused?: boolean;
  /** First moment. */
  readonly start_time?: string;
  /** End. */
  readonly end_time?: string;
  /**
   * The creatives that run.
   *
   * @maxItems 1000
   */
  readonly creative_assignments?: readonly CreativeAssignment[];
  /**
   * Formats for which creatives are due.
   *
   * @maxItems 1000
   */
  readonly format_ids?: readonly FormatId[];
  readonly forecast?: Forecast;
  /** How fast it spends: 1 is evenly over the flight. */
  readonly pacing_index?: number;
}
/** What a seller posts, signed, when a media buy changes its status. It may come more than once and out of order: idempotency_key tells repetitions, sequence the order. */
export interface MediaBuyWebhook {
  readonly idempotency_key: IdempotencyKey;
  /** The operation_id of the push notification config. */
  readonly operation_id?: string;
  /** The token of the push notification config. */
  readonly token?: string;
  /** What happened. */
  readonly event: string;
  /** The seller. */
  readonly agent_url: string;
  /** Which media buy. */
  readonly media_buy_id: string;
  readonly previous_status?: MediaBuyStatus;
  readonly status: MediaBuyStatus;
  /** Grows by one with each webhook about this media buy, from 1. */
  readonly sequence: number;
  /** When it happened. */
  readonly occurred_at: string;
  readonly media_buy?: MediaBuy;
  /** Why. */
  readonly reason?: string;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** A metric that a measurement agent reports. Accreditations are the vendor’s claims. */
export interface Metric {
  /** The vendor’s name for it; unique. */
  readonly metric_id: string;
  /** The public standard that it follows. */
  readonly standard_reference?: string;
  /** Its unit. */
  readonly unit?: string;
  /** What it says. */
  readonly description?: string;
  /** How it is measured. */
  readonly methodology_url?: string;
  /** Version of the method. */
  readonly methodology_version?: string;
  /**
   * Who has accredited it, as the vendor says.
   *
   * @maxItems 32
   */
  readonly accreditations?: readonly MetricAccreditationsItem[];
}
/** One accreditation. */
export interface MetricAccreditationsItem {
  /** Who accredits. */
  readonly accrediting_body: string;
  /** Number of the certificate. */
  readonly certification_id?: string;
  /** Last day of validity. */
  readonly valid_until?: string;
  /** Where the certificate is. */
  readonly evidence_url?: string;
}
/** What one package has delivered. */
export interface PackageDelivery {
  /** Which package. */
  readonly package_id?: string;
  /** Which product. */
  readonly product_id: string;
  /** Of which media buy. */
  readonly media_buy_id?: string;
  /** Times it was shown. */
  readonly impressions: number;
  /** Times it was clicked. */
  readonly clicks?: number;
  /** Share of plays that reached the end, 0 to 1. */
  readonly completion_rate?: number;
  readonly spend?: Money;
  /** How fast it spends: 1 is evenly over the flight. */
  readonly pacing_index?: number;
}
/** One line of an order. */
export interface PackageRequest {
  /** Which product. */
  readonly product_id: string;
  readonly budget: Budget;
  /** Which of the product’s pricing options. */
  readonly pricing_option_id: string;
  /** The buyer’s name for it. */
  readonly name?: string;
  readonly start_time?: UtcTime;
  readonly end_time?: UtcTime;
  /**
   * Creatives that are at the seller already.
   *
   * @maxItems 1000
   */
  readonly creative_assignments?: readonly CreativeAssignment[];
  /**
   * Creatives that are sent with the order.
   *
   * @maxItems 100
   */
  readonly creatives?: readonly Creative[];
  /** What a generative seller makes this package’s creative from, in place of creatives. */
  readonly brief?: string;
  /**
   * Which of the product’s formats will come.
   *
   * @maxItems 1000
   */
  readonly format_ids?: readonly FormatId[];
  /**
   * Audiences to reach, or with type suppression to leave out.
   *
   * @maxItems 100
   */
  readonly audience_ids?: readonly string[];
  /**
   * Activated segments to reach.
   *
   * @maxItems 100
   */
  readonly signal_agent_segment_ids?: readonly string[];
}
/** What a campaign may do: budget, policies and authority. */
export interface Plan {
  /** The buyer’s name for it. */
  readonly plan_id: string;
  readonly brand?: Brand;
  readonly account?: Account;
  /** What the campaign is for. */
  readonly objectives?: string;
  /** All that may be spent under the plan. */
  readonly budget: {
    readonly total: Budget;
    readonly currency: Currency;
  };
  readonly flight?: Period;
  /**
   * Where it may run; absent: anywhere.
   *
   * @maxItems 50
   */
  readonly channels?: readonly Channel[];
  /**
   * ISO 3166-1 alpha-2 codes; absent: everywhere.
   *
   * @maxItems 300
   */
  readonly countries?: readonly string[];
  /**
   * Its rules.
   *
   * @maxItems 100
   */
  readonly policies?: readonly Policy[];
  readonly authority?: Authority;
}
/** One rule of a plan. */
export interface Policy {
  /** Its name in decisions and in the log. */
  readonly policy_id: string;
  /** What it asks for, in plain words. */
  readonly description?: string;
  /** What is checked. A rule that the governance agent does not know is refused with the plan; without a rule, a human judges or the description becomes a condition. */
  readonly rule?: string;
  /**
   * What the rule allows or blocks.
   *
   * @maxItems 1000
   */
  readonly values?: readonly string[];
  /** The bound of a rule with a figure. */
  readonly limit?: number;
  /** deny refuses, escalate asks a human, condition approves under the condition that it is kept. */
  readonly enforcement: 'deny' | 'escalate' | 'condition';
}
/** Something that can be bought. */
export interface Product {
  /** What an order names it by. */
  readonly product_id: string;
  /** A name to show. */
  readonly name: string;
  /** What it is. */
  readonly description?: string;
  /**
   * Where it runs.
   *
   * @maxItems 50
   */
  readonly channels: readonly Channel[];
  /**
   * How it can be paid for.
   *
   * @maxItems 100
   */
  readonly pricing_options: readonly PricingOption[];
  readonly forecast?: Forecast;
  /**
   * Creative formats that it takes.
   *
   * @maxItems 1000
   */
  readonly format_ids: readonly FormatId[];
  /** Whether the amount is promised. */
  readonly delivery_type?: 'guaranteed' | 'non_guaranteed';
  /**
   * Whose inventory it is.
   *
   * @maxItems 1000
   */
  readonly publisher_domains?: readonly string[];
  /**
   * ISO 3166-1 alpha-2 codes of where it runs.
   *
   * @maxItems 300
   */
  readonly countries?: readonly string[];
  /** True when the seller makes the creative from a brief. */
  readonly generative?: boolean;
  /** Why it suits the brief. */
  readonly brief_relevance?: string;
  /** How well it suits the brief and its refinements, 0 to 1. */
  readonly score?: number;
}
/** Which versions of the protocol are spoken, and how repetitions are handled. */
export interface ProtocolSection {
  /**
   * Version labels, major.minor.
   *
   * @maxItems 100
   */
  readonly supported_versions?: readonly string[];
  /**
   * Major versions.
   *
   * @maxItems 100
   */
  readonly major_versions?: readonly number[];
  /** Whether idempotency_key is honoured. */
  readonly idempotency?: {
    /** True when it is. */
    readonly supported: boolean;
    /** How long a result is kept, seconds. */
    readonly replay_ttl_seconds?: number;
  };
}
/** One wish about products that were shown before. */
export interface Refinement {
  /** Whether it is about one product or about the whole request. */
  readonly scope: 'product' | 'request';
  /** Which product; with scope product. */
  readonly product_id?: string;
  /** What to do with the product. */
  readonly action?: string;
  /** The wish in plain words; with scope request. */
  readonly ask?: string;
}
/** Where reports of delivery are posted, and how often: a member of the public protocol. Agents of this vocabulary refuse it with UNSUPPORTED_FEATURE, and never ignore it. */
export interface ReportingWebhook {
  /** An https address of the caller. */
  readonly url: string;
  /** How long a period of a report is. Periods end on the hour, at midnight, or with the month, in UTC. */
  readonly reporting_frequency: 'hourly' | 'daily' | 'monthly';
  /**
   * The metrics that a report has; impressions and spend are always there. All, where it is absent or empty.
   *
   * @maxItems 100
   */
  readonly requested_metrics?: readonly string[];
  /** The caller’s own name of the reports, repeated in every one. */
  readonly operation_id?: string;
  /** Repeated in every report, so that the receiver can tell it is meant. */
  readonly token?: string;
  readonly authentication?: WebhookAuthentication;
}
/** A segment that can be activated. */
export interface Signal {
  /** What an activation names it by. */
  readonly signal_agent_segment_id: string;
  /** A name to show. */
  readonly name: string;
  /** Who is in it. */
  readonly description?: string;
  /** Whose data it is. */
  readonly signal_type?: string;
  /** What its members have in common. */
  readonly audience_type?: string;
  /** Where the data come from. */
  readonly data_provider?: string;
  /** Share of the reachable audience, 0 to 100. */
  readonly coverage_percentage: number;
  /**
   * How it can be paid for.
   *
   * @maxItems 100
   */
  readonly pricing_options: readonly PricingOption[];
  /**
   * Where it is or can be active.
   *
   * @maxItems 1000
   */
  readonly activation_options: readonly Activation[];
  /** How well it suits the description, 0 to 1. */
  readonly score?: number;
}
/** What an agent of the public vocabulary posts, signed, about a task: its status, and its answer under result. It may come more than once: idempotency_key tells repetitions. */
export interface TaskWebhook {
  readonly idempotency_key: IdempotencyKey;
  /** The receiver’s own name of the operation. */
  readonly operation_id?: string;
  /** Which task. */
  readonly task_id: string;
  /** The name of the task. */
  readonly task_type: string;
  /** The part of the protocol that the task belongs to. */
  readonly protocol?: string;
  /** The status of the task. */
  readonly status: string;
  /** When the webhook was made. */
  readonly timestamp: string;
  /** The state in a sentence. */
  readonly message?: string;
  /** The token of the push notification config. */
  readonly token?: string;
  /** The agent that posts it; where absent, whoever the key belongs to. */
  readonly agent_url?: string;
  /** Counts the webhooks about one subject from 1, where the agent counts them. */
  readonly sequence?: number;
  /** The answer of the task, as far as its status has one. */
  readonly result?: {
    readonly [k: string]: unknown;
  };
}
/** What an agent posts, signed, about something other than a media buy: an account, the activation of a signal, an acquisition of rights. It may come more than once: idempotency_key tells repetitions. */
export interface Webhook {
  readonly idempotency_key: IdempotencyKey;
  /** The operation_id of the push notification config. */
  readonly operation_id?: string;
  /** The token of the push notification config. */
  readonly token?: string;
  /** What happened. */
  readonly event: string;
  /** The agent that posts it. */
  readonly agent_url: string;
  /** Counts the webhooks about this account, activation or acquisition from 1, so that their order is known. */
  readonly sequence?: number;
  /** When it happened. */
  readonly occurred_at: string;
  /** The status before. */
  readonly previous_status?: string;
  readonly account?: AccountRecord;
  /** The segment whose activation changed. */
  readonly signal_agent_segment_id?: string;
  readonly activation?: Activation;
  /** The acquisition of rights as it is now, as in the answer of acquire_rights. */
  readonly acquisition?: {
    readonly [k: string]: unknown;
  };
  readonly ext?: Ext;
}
/** Makes creatives from a message in plain words. The same task with build_id works on an earlier result. */
export interface BuildCreativeRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  readonly idempotency_key: IdempotencyKey;
  /** What is wanted, or what should change, in plain words. */
  readonly message: string;
  readonly brand?: Brand;
  /**
   * The formats to make.
   *
   * @minItems 1
   * @maxItems 50
   */
  readonly target_format_ids?: readonly FormatId[];
  /** The earlier build to work on. */
  readonly build_id?: string;
  /**
   * Creatives to work on that were made elsewhere.
   *
   * @maxItems 50
   */
  readonly creative_manifests?: readonly CreativeManifest[];
  /** A governance approval: the compact JWS that check_governance gave for this very payload. */
  readonly governance_approval?: string;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** The creatives, one for each format. */
export interface BuildCreativeResponse {
  /** Names the build for the next step. */
  readonly build_id: string;
  /** Steps so far, from 1. */
  readonly iteration?: number;
  /**
   * One for each format.
   *
   * @maxItems 50
   */
  readonly creative_manifests: readonly CreativeManifest[];
  /** What was made, in plain words. */
  readonly message?: string;
  /** Where to look at it. */
  readonly preview_url?: string;
  /** True when this is the stored result of an earlier request with the same idempotency_key; nothing was done again. */
  readonly replayed?: boolean;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Asks which creative formats there are. */
export interface ListCreativeFormatsRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  /** Only this kind. */
  readonly type?: string;
  /**
   * Only these.
   *
   * @maxItems 1000
   */
  readonly format_ids?: readonly FormatId[];
  /**
   * Only formats with one of these assets.
   *
   * @maxItems 100
   */
  readonly asset_types?: readonly string[];
  /** Only names that hold this. */
  readonly name_search?: string;
  readonly pagination?: PaginationRequest;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Formats with dimensions, codecs, file sizes and duration limits. */
export interface ListCreativeFormatsResponse {
  /**
   * The formats.
   *
   * @maxItems 1000
   */
  readonly formats: readonly Format[];
  readonly pagination?: PaginationResponse;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Asks how a creative will look. An extension: not in the specification’s list of tasks. */
export interface PreviewCreativeRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  readonly creative: CreativeManifest;
  /**
   * In these sizes.
   *
   * @maxItems 20
   */
  readonly sizes?: readonly Dimensions[];
  readonly context?: Context;
  readonly ext?: Ext;
}
/** The previews. An extension: not in the specification’s list of tasks. */
export interface PreviewCreativeResponse {
  /**
   * One for each size.
   *
   * @maxItems 20
   */
  readonly previews: readonly PreviewCreativeResponsePreviewsItem[];
  readonly context?: Context;
  readonly ext?: Ext;
}
/** One preview. */
export interface PreviewCreativeResponsePreviewsItem {
  /** Names it. */
  readonly preview_id?: string;
  /** Where to look at it. */
  readonly url?: string;
  /** The preview itself. */
  readonly html?: string;
  readonly dimensions?: Dimensions;
  /** Until when it can be looked at. */
  readonly expires_at?: string;
}
/** Stores creatives; their assets are checked against the format. */
export interface SyncCreativesRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  readonly idempotency_key: IdempotencyKey;
  readonly account: Account;
  /**
   * The creatives.
   *
   * @minItems 1
   * @maxItems 500
   */
  readonly creatives: readonly Creative[];
  /**
   * Packages in which they run from now on.
   *
   * @maxItems 500
   */
  readonly assignments?: readonly SyncCreativesRequestAssignmentsItem[];
  /** True to delete what the request does not name. */
  readonly delete_missing?: boolean;
  /** True to learn the outcome and change nothing. */
  readonly dry_run?: boolean;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** One package. */
export interface SyncCreativesRequestAssignmentsItem {
  /** Which media buy. */
  readonly media_buy_id?: string;
  /** Which package. */
  readonly package_id: string;
  /**
   * Which creatives.
   *
   * @maxItems 500
   *
   * Items: A creative.
   */
  readonly creative_ids: readonly string[];
}
/** What became of each creative. */
export interface SyncCreativesResponse {
  /**
   * In the order of the request; after them those that delete_missing named.
   *
   * @maxItems 5500
   */
  readonly creatives: readonly SyncCreativesResponseCreativesItem[];
  /** True when this is the stored result of an earlier request with the same idempotency_key; nothing was done again. */
  readonly replayed?: boolean;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** What became of one creative. */
export interface SyncCreativesResponseCreativesItem {
  /** As in the request. */
  readonly creative_id: string;
  readonly action: SyncAction;
  /** Whether it may run. */
  readonly status?: 'processing' | 'pending_review' | 'approved' | 'rejected';
  /**
   * Packages in which it runs.
   *
   * @maxItems 500
   */
  readonly assigned_to?: readonly string[];
  readonly errors?: Errors;
}
/** Asks what a creative lacks for its format. An extension: not in the specification’s list of tasks. */
export interface ValidateCreativeRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  readonly creative: CreativeManifest;
  readonly format_id?: FormatId;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Whether it follows its format, and every place where it does not. An extension: not in the specification’s list of tasks. */
export interface ValidateCreativeResponse {
  /** True when there is no problem. */
  readonly valid: boolean;
  /**
   * What is wrong.
   *
   * @maxItems 100
   */
  readonly problems: readonly ValidateCreativeResponseProblemsItem[];
  readonly context?: Context;
  readonly ext?: Ext;
}
/** One problem. */
export interface ValidateCreativeResponseProblemsItem {
  /** JSON Pointer into the creative. */
  readonly pointer: string;
  /** A code. */
  readonly code?: string;
  /** What is wrong and how it should be. */
  readonly message: string;
}
/** Asks whether a task may be done under a plan. */
export interface CheckGovernanceRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  /** Under which plan. */
  readonly plan_id: string;
  /** Whose plan it is, when the agent that asks may act under plans of several buyers with one plan_id. */
  readonly plan_owner?: string;
  /** Address of the agent that will do the task. */
  readonly caller: string;
  /** Name of the task. */
  readonly tool: string;
  /** The request of that task. */
  readonly payload: {
    readonly [k: string]: unknown;
  };
  /** Address of the agent whose task it is. An approval is for this agent alone. By default the agent that the payload names, as seller_agent_url for example, or the only seller of its account.operator. Where neither is known, the answer is an opinion that nobody may act on. */
  readonly audience?: string;
  readonly expected_cost?: Money;
  /** An earlier check that was escalated: asks what the human has decided. */
  readonly check_id?: string;
  /** Why it is done. */
  readonly purpose?: string;
  /** A governance approval that was given before and travels with the question. A broken one is an error. */
  readonly governance_approval?: string;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** The decision. An approval is a signed token for this very payload; above the plan’s authority a human is asked. */
export interface CheckGovernanceResponse {
  /** Names the check. */
  readonly check_id?: string;
  /** Under which plan. */
  readonly plan_id: string;
  /** escalated: a human decides; ask again with check_id. */
  readonly decision: 'approved' | 'approved_with_conditions' | 'denied' | 'escalated';
  /** Why. */
  readonly reason: string;
  /**
   * What must be kept.
   *
   * @maxItems 100
   */
  readonly conditions?: readonly string[];
  /**
   * What the policies say.
   *
   * @maxItems 100
   */
  readonly findings?: readonly CheckGovernanceResponseFindingsItem[];
  /** With approved and approved_with_conditions: the compact JWS to send with the task. */
  readonly governance_approval?: string;
  /** Until when the approval is valid. */
  readonly expires_at?: string;
  /** With escalated: who is asked. */
  readonly escalation?: {
    /**
     * Who.
     *
     * @maxItems 100
     */
    readonly approvers?: readonly string[];
    /** Where a human decides. */
    readonly url?: string;
  };
  readonly context?: Context;
  readonly ext?: Ext;
}
/** One finding. */
export interface CheckGovernanceResponseFindingsItem {
  /** Which policy. */
  readonly policy_id?: string;
  /** How bad it is. */
  readonly severity?: 'info' | 'warning' | 'error';
  /** JSON Pointer into the payload. */
  readonly pointer?: string;
  /** In plain words. */
  readonly message: string;
}
/** Asks who did what under a plan, and why. */
export interface GetPlanAuditLogsRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  /** Which plan. */
  readonly plan_id?: string;
  /**
   * Which plans.
   *
   * @minItems 1
   * @maxItems 100
   *
   * Items: A plan.
   */
  readonly plan_ids?: readonly string[];
  /** Whose plan it is, when the agent that asks may act under plans of several buyers with one plan_id. */
  readonly plan_owner?: string;
  /** Only this action. */
  readonly action?: string;
  /** Not before. */
  readonly from?: string;
  /** Before. */
  readonly to?: string;
  readonly pagination?: PaginationRequest;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** The log, oldest first. */
export interface GetPlanAuditLogsResponse {
  /**
   * The entries.
   *
   * @maxItems 1000
   */
  readonly entries: readonly AuditEntry[];
  /** False when the chain of hashes is broken: somebody has changed the log. */
  readonly intact?: boolean;
  /** Sequence of the first entry that does not fit, or that is missing; of the first plan with one. */
  readonly first_broken?: number;
  /**
   * The state of each plan’s chain, in the order asked for.
   *
   * @maxItems 100
   */
  readonly plans?: readonly GetPlanAuditLogsResponsePlansItem[];
  readonly pagination?: PaginationResponse;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** One plan’s chain. */
export interface GetPlanAuditLogsResponsePlansItem {
  /** Which plan. */
  readonly plan_id: string;
  /** False when it was tampered with. */
  readonly intact: boolean;
  /** Sequence of the first entry that does not fit, or that is missing. */
  readonly first_broken?: number;
  /** How many entries there are, whatever the request leaves out. */
  readonly length: number;
  /** Hash of the last entry; compare it with the audit claim of approvals. */
  readonly head?: string;
}
/** Stores plans: what campaigns may do. An extension: not in the specification’s list of tasks. */
export interface SyncPlansRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  readonly idempotency_key: IdempotencyKey;
  /**
   * The plans.
   *
   * @minItems 1
   * @maxItems 100
   */
  readonly plans: readonly Plan[];
  readonly context?: Context;
  readonly ext?: Ext;
}
/** What became of each plan. An extension: not in the specification’s list of tasks. */
export interface SyncPlansResponse {
  /**
   * In the order of the request.
   *
   * @maxItems 100
   */
  readonly plans: readonly SyncPlansResponsePlansItem[];
  /** True when this is the stored result of an earlier request with the same idempotency_key; nothing was done again. */
  readonly replayed?: boolean;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** What became of one plan. */
export interface SyncPlansResponsePlansItem {
  /** As in the request. */
  readonly plan_id: string;
  readonly action: SyncAction;
  /** Grows with each change. */
  readonly version?: number;
  readonly errors?: Errors;
}
/** Orders packages of products. A generative seller takes a brief in place of pre-built creative. */
export interface CreateMediaBuyRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  readonly idempotency_key: IdempotencyKey;
  readonly account: Account;
  readonly brand: Brand;
  readonly start_time: UtcTime;
  readonly end_time: UtcTime;
  /**
   * The lines of the order.
   *
   * @minItems 1
   * @maxItems 500
   */
  readonly packages: readonly PackageRequest[];
  /** What a generative seller makes the creatives from, in place of pre-built ones; a package’s own brief counts before it. */
  readonly brief?: string;
  readonly total_budget?: Money;
  /** The buyer’s name for it. */
  readonly name?: string;
  /** The governance plan that it is bought under. */
  readonly plan_id?: string;
  /** A governance approval: the compact JWS that check_governance gave for this very payload. */
  readonly governance_approval?: string;
  readonly push_notification_config?: PushNotificationConfig;
  readonly reporting_webhook?: ReportingWebhook;
  readonly context?: Context;
  readonly ext?: Ext;
}
export interface CreateMediaBuyResponse1 {
  /** Where webhooks about this media buy are posted. */
  readonly notifications?: {
    /** The address; absent: none is known, so nothing is posted. */
    readonly url?: string;
    /** What names it: the order, the account, or the registration of the buyer with this seller. */
    readonly from?: 'order' | 'account' | 'registration';
    /** The same in plain words, and what to do where none is known. */
    readonly message: string;
  };
  /** True when this is the stored result of an earlier request with the same idempotency_key; nothing was done again. */
  readonly replayed?: boolean;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Asks what media buys have delivered. */
export interface GetMediaBuyDeliveryRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  /**
   * Which media buys; absent: all of the account.
   *
   * @minItems 1
   * @maxItems 500
   *
   * Items: A media buy.
   */
  readonly media_buy_ids?: readonly string[];
  readonly account?: Account;
  /** First day, UTC. */
  readonly start_date?: string;
  /** Last day, UTC. */
  readonly end_date?: string;
  readonly pagination?: PaginationRequest;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Impressions, clicks and spend of all media buys asked for, and of each. */
export interface GetMediaBuyDeliveryResponse {
  /** Times it was shown. */
  readonly impressions: number;
  /** Times it was clicked. */
  readonly clicks: number;
  readonly spend: Money;
  /**
   * The same by package.
   *
   * @maxItems 5000
   */
  readonly by_package: readonly PackageDelivery[];
  /** Which days. */
  readonly reporting_period?: {
    /** First moment. */
    readonly start?: string;
    /** End. */
    readonly end?: string;
  };
  /**
   * The same by media buy.
   *
   * @maxItems 500
   */
  readonly media_buys?: readonly GetMediaBuyDeliveryResponseMediaBuysItem[];
  readonly pagination?: PaginationResponse;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** One media buy. */
export interface GetMediaBuyDeliveryResponseMediaBuysItem {
  /** Which. */
  readonly media_buy_id: string;
  readonly status?: MediaBuyStatus;
  /** Times it was shown. */
  readonly impressions: number;
  /** Times it was clicked. */
  readonly clicks?: number;
  readonly spend: Money;
  /**
   * The same by package.
   *
   * @maxItems 5000
   */
  readonly by_package?: readonly PackageDelivery[];
}
/** Finds products for a brief in plain words, or refines an earlier answer. */
export interface GetProductsRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  /** brief searches, refine works on with products that were shown; absent: brief. */
  readonly buying_mode?: 'brief' | 'refine';
  /** What is wanted, in plain words. */
  readonly brief?: string;
  readonly brand?: Brand;
  readonly account?: Account;
  /**
   * Wishes about products that were shown.
   *
   * @minItems 1
   * @maxItems 100
   */
  readonly refine?: readonly Refinement[];
  /** Hard limits. */
  readonly filters?: {
    /**
     * Only these channels.
     *
     * @maxItems 50
     */
    readonly channels?: readonly Channel[];
    /**
     * ISO 3166-1 alpha-2 codes.
     *
     * @maxItems 300
     */
    readonly countries?: readonly string[];
    /** Only this kind. */
    readonly delivery_type?: 'guaranteed' | 'non_guaranteed';
    /**
     * Only products that take one of these.
     *
     * @maxItems 1000
     */
    readonly format_ids?: readonly FormatId[];
    /** In the currency of the pricing option. */
    readonly max_price?: number;
  };
  /** The answer that is refined; absent: the latest to this caller. */
  readonly proposal_id?: string;
  readonly pagination?: PaginationRequest;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Products, the best first. */
export interface GetProductsResponse {
  /**
   * The products.
   *
   * @maxItems 1000
   */
  readonly products: readonly Product[];
  /** In plain words: what was found, or why nothing was. */
  readonly message?: string;
  /** Names this answer for a later refinement. */
  readonly proposal_id?: string;
  /**
   * What became of each wish, in the order of the request.
   *
   * @maxItems 100
   */
  readonly refinement_applied?: readonly GetProductsResponseRefinementAppliedItem[];
  readonly pagination?: PaginationResponse;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** One wish. */
export interface GetProductsResponseRefinementAppliedItem {
  /** As asked. */
  readonly scope: 'product' | 'request';
  /** As asked. */
  readonly product_id?: string;
  /** Whether it was met. */
  readonly status: 'applied' | 'partial' | 'not_applied';
  /** How, or why not. */
  readonly note?: string;
}
/** Asks whose inventory is sold here. An extension: not in the specification’s list of tasks. */
export interface ListAuthorizedPropertiesRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  /**
   * Only these publishers.
   *
   * @maxItems 1000
   */
  readonly publisher_domains?: readonly string[];
  /**
   * Only properties with one of these tags.
   *
   * @maxItems 100
   */
  readonly tags?: readonly string[];
  readonly pagination?: PaginationRequest;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** The publishers whose inventory is sold here. An extension: not in the specification’s list of tasks. */
export interface ListAuthorizedPropertiesResponse {
  /**
   * Domains of the publishers.
   *
   * @maxItems 10000
   */
  readonly publisher_domains: readonly string[];
  /**
   * Where it mostly runs.
   *
   * @maxItems 50
   */
  readonly primary_channels?: readonly Channel[];
  /** In plain words. */
  readonly portfolio_description?: string;
  /** What is not sold. */
  readonly advertising_policies?: string;
  /** When the list last changed. */
  readonly last_updated?: string;
  readonly pagination?: PaginationResponse;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Reports what people did after an advertisement. */
export interface LogEventRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  readonly idempotency_key: IdempotencyKey;
  /** Where the events come from. */
  readonly event_source_id: string;
  /**
   * The events.
   *
   * @minItems 1
   * @maxItems 1000
   */
  readonly events: readonly Event[];
  readonly account?: Account;
  /** True for events that count for nothing. */
  readonly test?: boolean;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** How many events were taken. */
export interface LogEventResponse {
  /** Events in the request. */
  readonly events_received: number;
  /** Events that count. */
  readonly events_processed: number;
  /** Events whose event_id was known already. */
  readonly duplicates?: number;
  /**
   * Events that were left out.
   *
   * @maxItems 1000
   */
  readonly partial_failures?: readonly LogEventResponsePartialFailuresItem[];
  /** True when this is the stored result of an earlier request with the same idempotency_key; nothing was done again. */
  readonly replayed?: boolean;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** One event. */
export interface LogEventResponsePartialFailuresItem {
  /** Which. */
  readonly event_id: string;
  /** A code. */
  readonly code: string;
  /** Why. */
  readonly message: string;
}
/** Tells a seller how well a media buy did; the seller paces by it. */
export interface ProvidePerformanceFeedbackRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  readonly idempotency_key: IdempotencyKey;
  /** Which media buy. */
  readonly media_buy_id: string;
  readonly measurement_period: Period;
  /** 1 is as expected, 2 twice as good, 0 no effect. */
  readonly performance_index: number;
  /** Only this package. */
  readonly package_id?: string;
  /** Only this creative. */
  readonly creative_id?: string;
  /** What was measured. */
  readonly metric_type?: string;
  /** Who measured. */
  readonly feedback_source?: string;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Whether the feedback was taken, and what it changes. */
export interface ProvidePerformanceFeedbackResponse {
  /** True when it was taken. */
  readonly accepted: boolean;
  /** Names it. */
  readonly feedback_id?: string;
  /**
   * Packages whose pacing changes.
   *
   * @maxItems 500
   */
  readonly packages?: readonly ProvidePerformanceFeedbackResponsePackagesItem[];
  /** True when this is the stored result of an earlier request with the same idempotency_key; nothing was done again. */
  readonly replayed?: boolean;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** One package. */
export interface ProvidePerformanceFeedbackResponsePackagesItem {
  /** Which. */
  readonly package_id: string;
  /** Its pacing from now on; 1 is evenly over the flight. */
  readonly pacing_index: number;
}
/** Stores audiences at a seller; suppression audiences are left out of delivery. */
export interface SyncAudiencesRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  readonly idempotency_key: IdempotencyKey;
  readonly account: Account;
  /**
   * The audiences.
   *
   * @minItems 1
   * @maxItems 1000
   */
  readonly audiences: readonly Audience[];
  /** True to delete what the request does not name. */
  readonly delete_missing?: boolean;
  /** True to learn the outcome and change nothing. */
  readonly dry_run?: boolean;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** What became of each audience. */
export interface SyncAudiencesResponse {
  /**
   * In the order of the request; after them those that delete_missing named.
   *
   * @maxItems 2000
   */
  readonly audiences: readonly SyncAudiencesResponseAudiencesItem[];
  /** True when this is the stored result of an earlier request with the same idempotency_key; nothing was done again. */
  readonly replayed?: boolean;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** What became of one audience. */
export interface SyncAudiencesResponseAudiencesItem {
  /** As in the request. */
  readonly audience_id: string;
  readonly action: SyncAction;
  /** Whether it can be used. */
  readonly status?: 'processing' | 'ready' | 'too_small';
  /** Members that came. */
  readonly uploaded_count?: number;
  /** Members that are known. */
  readonly matched_count?: number;
  readonly errors?: Errors;
}
/** Stores catalogues of products, stores or offers. */
export interface SyncCatalogsRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  readonly idempotency_key: IdempotencyKey;
  readonly account: Account;
  /**
   * The catalogues.
   *
   * @minItems 1
   * @maxItems 100
   */
  readonly catalogs: readonly Catalog[];
  /** True to delete what the request does not name. */
  readonly delete_missing?: boolean;
  /** True to learn the outcome and change nothing. */
  readonly dry_run?: boolean;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** What became of each catalogue. */
export interface SyncCatalogsResponse {
  /**
   * In the order of the request; behind them those that delete_missing deleted.
   *
   * @maxItems 200
   */
  readonly catalogs: readonly SyncCatalogsResponseCatalogsItem[];
  /** True when this is the stored result of an earlier request with the same idempotency_key; nothing was done again. */
  readonly replayed?: boolean;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** What became of one catalogue. */
export interface SyncCatalogsResponseCatalogsItem {
  /** As in the request. */
  readonly catalog_id: string;
  readonly action: SyncAction;
  /** Whether it can be used. */
  readonly status?: 'processing' | 'ready' | 'rejected';
  /** Items that were read. */
  readonly item_count?: number;
  /** Items that were left out. */
  readonly items_rejected?: number;
  /** When the feed is read again. */
  readonly next_fetch_at?: string;
  readonly errors?: Errors;
}
/** Changes a media buy: budget between packages, flight dates, creative assignments, pause and cancellation. */
export interface UpdateMediaBuyRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  readonly idempotency_key: IdempotencyKey;
  /** Which media buy. */
  readonly media_buy_id: string;
  readonly account?: Account;
  readonly start_time?: UtcTime;
  readonly end_time?: UtcTime;
  /** True halts it, false goes on. */
  readonly paused?: boolean;
  /** True ends it for good. */
  readonly canceled?: true;
  /** Why. */
  readonly cancellation_reason?: string;
  /**
   * Changes of single packages.
   *
   * @maxItems 500
   */
  readonly packages?: readonly UpdateMediaBuyRequestPackagesItem[];
  /**
   * Packages to add.
   *
   * @maxItems 500
   */
  readonly new_packages?: readonly PackageRequest[];
  /** The revision that the change was made from; another one is a CONFLICT. */
  readonly revision?: number;
  /** The governance plan. */
  readonly plan_id?: string;
  /** A governance approval: the compact JWS that check_governance gave for this very payload. */
  readonly governance_approval?: string;
  readonly push_notification_config?: PushNotificationConfig;
  readonly reporting_webhook?: ReportingWebhook;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** One package. */
export interface UpdateMediaBuyRequestPackagesItem {
  /** Which package. */
  readonly package_id: string;
  readonly budget?: Budget;
  readonly start_time?: UtcTime;
  readonly end_time?: UtcTime;
  /** True halts it, false goes on. */
  readonly paused?: boolean;
  /** True ends it for good. */
  readonly canceled?: true;
  /**
   * All creatives that run from now on.
   *
   * @maxItems 1000
   */
  readonly creative_assignments?: readonly CreativeAssignment[];
  /**
   * Creatives that are sent with the change.
   *
   * @maxItems 100
   */
  readonly creatives?: readonly Creative[];
  /**
   * Audiences from now on.
   *
   * @maxItems 100
   */
  readonly audience_ids?: readonly string[];
}
export interface UpdateMediaBuyResponse1 {
  /**
   * Packages that were changed.
   *
   * @maxItems 500
   */
  readonly affected_packages?: readonly string[];
  /** True when this is the stored result of an earlier request with the same idempotency_key; nothing was done again. */
  readonly replayed?: boolean;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Moves an agent’s sandbox into a state that a test needs. An extension: not in the specification’s list of tasks. */
export interface ComplyTestControllerRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  /** Which scenario. */
  readonly scenario: string;
  /** What the scenario needs. */
  readonly params?: {
    readonly [k: string]: unknown;
  };
  readonly account?: Account;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** What the scenario did. An extension: not in the specification’s list of tasks. */
export interface ComplyTestControllerResponse {
  /** False when the scenario could not be carried out. */
  readonly success: boolean;
  /**
   * With list_scenarios: those there are.
   *
   * @maxItems 100
   */
  readonly scenarios?: readonly string[];
  /** The state before. */
  readonly previous_state?: string;
  /** The state after. */
  readonly current_state?: string;
  /** What was made up. */
  readonly simulated?: {
    readonly [k: string]: unknown;
  };
  /** In plain words. */
  readonly message?: string;
  /** With success: false, a code. */
  readonly error?: string;
  /** With success: false, why. */
  readonly error_detail?: string;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Asks what the agent can do. */
export interface GetProtoCapabilitiesRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  /**
   * Only these protocols’ sections.
   *
   * @maxItems 100
   */
  readonly protocols?: readonly string[];
  readonly context?: Context;
  readonly ext?: Ext;
}
/** What the agent can do: versions, protocols, specialisms, and a section for each protocol. Agents of the public vocabulary name the first section adcp. */
export interface GetProtoCapabilitiesResponse {
  readonly proto?: ProtocolSection;
  readonly adcp?: ProtocolSection;
  /** The bundle that is spoken, major.minor.patch. */
  readonly proto_version?: string;
  /** The same in the public vocabulary. */
  readonly adcp_version?: string;
  /**
   * Protocols that the agent takes part in.
   *
   * @maxItems 100
   *
   * Items: A protocol.
   */
  readonly supported_protocols: readonly string[];
  /**
   * What it is good at, in kebab case.
   *
   * @maxItems 100
   *
   * Items: A specialism.
   */
  readonly specialisms?: readonly string[];
  /** How accounts are handled. */
  readonly account?: {
    /**
     * Who may be billed.
     *
     * @maxItems 100
     */
    readonly supported_billing?: readonly string[];
    /**
     * Tasks that need an account.
     *
     * @maxItems 100
     */
    readonly required_for?: readonly string[];
    /** True when there are accounts in which nothing is real. */
    readonly sandbox?: boolean;
  };
  /** What a seller offers. */
  readonly media_buy?: {
    /** Whose inventory is sold. */
    readonly portfolio?: {
      /**
       * Domains of the publishers.
       *
       * @maxItems 10000
       */
      readonly publisher_domains?: readonly string[];
      /**
       * Where it mostly runs.
       *
       * @maxItems 50
       */
      readonly primary_channels?: readonly Channel[];
      /** In plain words. */
      readonly description?: string;
    };
    /**
     * Of get_products.
     *
     * @maxItems 100
     */
    readonly buying_modes?: readonly string[];
    /** True when creatives can be made from a brief. */
    readonly generative?: boolean;
    readonly min_budget?: Money;
  };
  /** What a signals agent offers. */
  readonly signals?: {
    /**
     * Kinds of segments.
     *
     * @maxItems 1000
     */
    readonly audience_types?: readonly string[];
    /**
     * Platforms for activation.
     *
     * @maxItems 1000
     */
    readonly destinations?: readonly string[];
  };
  /** What a governance agent offers. */
  readonly governance?: {
    /** True when plans are checked. */
    readonly supported?: boolean;
    /**
     * Tasks that it can judge.
     *
     * @maxItems 100
     */
    readonly checked_tasks?: readonly string[];
    /** How long an approval is valid, seconds. */
    readonly approval_ttl_seconds?: number;
  };
  /** What a creative agent offers. */
  readonly creative?: {
    /**
     * Formats, as ids or format_ids.
     *
     * @maxItems 1000
     */
    readonly supported_formats?: readonly (string | FormatId)[];
    /** True when creatives are built from a message. */
    readonly generates?: boolean;
  };
  /** What a brand or rights agent offers. */
  readonly brand?: {
    /** True when identity is told. */
    readonly supported?: boolean;
    /** True when rights can be licensed. */
    readonly rights?: boolean;
  };
  /** What a measurement agent reports. */
  readonly measurement?: {
    /**
     * Its metrics.
     *
     * @maxItems 500
     */
    readonly metrics?: readonly Metric[];
  };
  /** Signatures on requests. */
  readonly request_signing?: {
    /** True when they are verified. */
    readonly supported: boolean;
    /**
     * Tasks that are refused without one.
     *
     * @maxItems 100
     */
    readonly required_for?: readonly string[];
    /** Whether the body’s digest must be covered. */
    readonly covers_content_digest?: 'required' | 'either' | 'forbidden';
    /**
     * Versions of the signature profile.
     *
     * @maxItems 100
     */
    readonly profiles?: readonly string[];
  };
  /** Signatures on webhooks. */
  readonly webhook_signing?: {
    /** True when webhooks are signed. */
    readonly supported: boolean;
    /**
     * Their algorithms.
     *
     * @maxItems 100
     */
    readonly algorithms?: readonly string[];
    /** Version of the signature profile. */
    readonly profile?: string;
  };
  /** Who the agent’s operator is. */
  readonly identity?: {
    /** The operator’s brand.json. */
    readonly brand_json_url?: string;
  };
  /** The test controller, where there is one. */
  readonly compliance_testing?: {
    /**
     * Of comply_test_controller.
     *
     * @maxItems 100
     */
    readonly scenarios?: readonly string[];
  };
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Makes a segment usable at destinations. */
export interface ActivateSignalRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  readonly idempotency_key: IdempotencyKey;
  /** Which segment. */
  readonly signal_agent_segment_id: string;
  /**
   * Where.
   *
   * @minItems 1
   * @maxItems 100
   */
  readonly destinations: readonly Destination[];
  readonly account?: Account;
  /** Which pricing option. */
  readonly pricing_option_id?: string;
  /** absent: activate. */
  readonly action?: 'activate' | 'deactivate';
  /** The governance plan. */
  readonly plan_id?: string;
  /** A governance approval: the compact JWS that check_governance gave for this very payload. */
  readonly governance_approval?: string;
  readonly push_notification_config?: PushNotificationConfig;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** How the segment stands at each destination. */
export interface ActivateSignalResponse {
  /** Which segment. */
  readonly signal_agent_segment_id?: string;
  /**
   * In the order of the request.
   *
   * @maxItems 100
   */
  readonly activations: readonly Activation[];
  /** True when this is the stored result of an earlier request with the same idempotency_key; nothing was done again. */
  readonly replayed?: boolean;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Finds segments for a description in plain words. */
export interface GetSignalsRequest {
  /** The address of this schema; its version and task are checked. */
  readonly $schema?: string;
  /** Who should be reached, in plain words. */
  readonly signal_spec?: string;
  /**
   * These segments, in place of a description.
   *
   * @minItems 1
   * @maxItems 1000
   *
   * Items: A segment.
   */
  readonly signal_agent_segment_ids?: readonly string[];
  readonly account?: Account;
  /**
   * Where they should be usable.
   *
   * @maxItems 100
   */
  readonly destinations?: readonly Destination[];
  /**
   * ISO 3166-1 alpha-2 codes.
   *
   * @maxItems 300
   */
  readonly countries?: readonly string[];
  /** Hard limits. */
  readonly filters?: {
    /**
     * Only these.
     *
     * @maxItems 100
     */
    readonly signal_types?: readonly string[];
    /**
     * Only theirs.
     *
     * @maxItems 100
     */
    readonly data_providers?: readonly string[];
    /** In the currency of the pricing option. */
    readonly max_price?: number;
    /** 0 to 100. */
    readonly min_coverage_percentage?: number;
  };
  readonly pagination?: PaginationRequest;
  readonly context?: Context;
  readonly ext?: Ext;
}
/** Matching segments with pricing, coverage and activation options, the best first. */
export interface GetSignalsResponse {
  /**
   * The segments.
   *
   * @maxItems 1000
   */
  readonly signals: readonly Signal[];
  readonly pagination?: PaginationResponse;
  readonly context?: Context;
  readonly ext?: Ext;
}

/** The type of each task’s request. */
export interface TaskRequests {
  readonly list_accounts: ListAccountsRequest;
  readonly sync_accounts: SyncAccountsRequest;
  readonly acquire_rights: AcquireRightsRequest;
  readonly get_brand_identity: GetBrandIdentityRequest;
  readonly get_rights: GetRightsRequest;
  readonly build_creative: BuildCreativeRequest;
  readonly list_creative_formats: ListCreativeFormatsRequest;
  readonly preview_creative: PreviewCreativeRequest;
  readonly sync_creatives: SyncCreativesRequest;
  readonly validate_creative: ValidateCreativeRequest;
  readonly check_governance: CheckGovernanceRequest;
  readonly get_plan_audit_logs: GetPlanAuditLogsRequest;
  readonly sync_plans: SyncPlansRequest;
  readonly create_media_buy: CreateMediaBuyRequest;
  readonly get_media_buy_delivery: GetMediaBuyDeliveryRequest;
  readonly get_products: GetProductsRequest;
  readonly list_authorized_properties: ListAuthorizedPropertiesRequest;
  readonly log_event: LogEventRequest;
  readonly provide_performance_feedback: ProvidePerformanceFeedbackRequest;
  readonly sync_audiences: SyncAudiencesRequest;
  readonly sync_catalogs: SyncCatalogsRequest;
  readonly update_media_buy: UpdateMediaBuyRequest;
  readonly comply_test_controller: ComplyTestControllerRequest;
  readonly get_proto_capabilities: GetProtoCapabilitiesRequest;
  readonly activate_signal: ActivateSignalRequest;
  readonly get_signals: GetSignalsRequest;
}

/** The type of each task’s response. */
export interface TaskResponses {
  readonly list_accounts: ListAccountsResponse;
  readonly sync_accounts: SyncAccountsResponse;
  readonly acquire_rights: AcquireRightsResponse;
  readonly get_brand_identity: GetBrandIdentityResponse;
  readonly get_rights: GetRightsResponse;
  readonly build_creative: BuildCreativeResponse;
  readonly list_creative_formats: ListCreativeFormatsResponse;
  readonly preview_creative: PreviewCreativeResponse;
  readonly sync_creatives: SyncCreativesResponse;
  readonly validate_creative: ValidateCreativeResponse;
  readonly check_governance: CheckGovernanceResponse;
  readonly get_plan_audit_logs: GetPlanAuditLogsResponse;
  readonly sync_plans: SyncPlansResponse;
  readonly create_media_buy: CreateMediaBuyResponse;
  readonly get_media_buy_delivery: GetMediaBuyDeliveryResponse;
  readonly get_products: GetProductsResponse;
  readonly list_authorized_properties: ListAuthorizedPropertiesResponse;
  readonly log_event: LogEventResponse;
  readonly provide_performance_feedback: ProvidePerformanceFeedbackResponse;
  readonly sync_audiences: SyncAudiencesResponse;
  readonly sync_catalogs: SyncCatalogsResponse;
  readonly update_media_buy: UpdateMediaBuyResponse;
  readonly comply_test_controller: ComplyTestControllerResponse;
  readonly get_proto_capabilities: GetProtoCapabilitiesResponse;
  readonly activate_signal: ActivateSignalResponse;
  readonly get_signals: GetSignalsResponse;
}
