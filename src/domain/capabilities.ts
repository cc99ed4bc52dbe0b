/** Wire shapes of the specification's 2.2. Names are the wire's. */
export interface Capabilities {
  readonly tools_count: number;
  readonly tools: readonly Tool[];
  /** Versions of the protocol that the agent declares, as it writes them: `3.1-beta`. Absent if it declares none. */
  readonly supported_versions?: readonly string[];
  readonly standard_operations?: StandardOperations;
  /** What is known of each of them. Absent in what earlier versions kept. */
  readonly standard_operations_basis?: Readonly<Record<keyof StandardOperations, OperationBasis>>;
  readonly creative_capabilities?: CreativeCapabilities;
  readonly signals_capabilities?: SignalsCapabilities;
  readonly measurement_capabilities?: {
    readonly metrics: readonly Metric[];
    /** Present when a record has no room for all of them; filters know them all. */
    readonly metrics_truncated?: true;
  };
}

export interface Tool {
  readonly name: string;
  readonly description: string;
}

export interface StandardOperations {
  readonly can_search_inventory: boolean;
  readonly can_get_availability: boolean;
  readonly can_reserve_inventory: boolean;
  readonly can_get_pricing: boolean;
  readonly can_create_order: boolean;
  readonly can_list_properties: boolean;
}

/** What a probe has seen of an operation. A probe calls no task of a seller, so it has seen none of them work. */
export type OperationBasis =
  /** A tool for the operation itself. */
  | { readonly basis: 'tool'; readonly from: string }
  /** A tool whose answer may bring it along. */
  | { readonly basis: 'implied'; readonly from: string }
  /** The capabilities answer says that it can, or that it cannot. */
  | { readonly basis: 'declared'; readonly from: string }
  | { readonly basis: 'none' };

export interface CreativeCapabilities {
  readonly formats_supported: readonly string[];
  readonly can_generate: boolean;
  readonly can_validate: boolean;
  readonly can_preview: boolean;
}

export interface SignalsCapabilities {
  readonly audience_types: readonly string[];
  readonly can_match: boolean;
  readonly can_activate: boolean;
  readonly can_get_signals: boolean;
}

export interface Metric {
  readonly metric_id: string;
  readonly standard_reference?: string;
  readonly accreditations: readonly Accreditation[];
  readonly unit?: string;
  readonly description?: string;
  readonly methodology_url?: string;
  readonly methodology_version?: string;
}

/** A vendor's claim. The registry never verifies it, and the type says so. */
export interface Accreditation {
  readonly accrediting_body: string;
  readonly certification_id?: string;
  /** YYYY-MM-DD. */
  readonly valid_until?: string;
  readonly evidence_url?: string;
  readonly verified_by_operator: false;
  /** The field's own name for it. */
  readonly verified_by_aao: false;
}
