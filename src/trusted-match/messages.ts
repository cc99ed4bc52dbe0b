/** Requests and responses as schemas/trusted-match has them. */

export interface ContextRequest {
  readonly request_id: string;
  readonly property: { readonly property_id: string; readonly property_type?: string };
  readonly placement: { readonly placement_id: string; readonly formats?: readonly string[] };
  readonly content: ContentSignals;
  readonly package_ids?: readonly string[];
}

export interface ContentSignals {
  readonly url?: string;
  readonly content_id?: string;
  readonly artifact_types?: readonly string[];
  readonly topics?: readonly string[];
  readonly keywords?: readonly string[];
  readonly language?: string;
  readonly sensitive_categories?: readonly string[];
}

export interface ContextResponse {
  readonly request_id: string;
  readonly offers: readonly PackageOffer[];
}

export interface PackageOffer {
  readonly package_id: string;
  /** From 0 to 1. */
  readonly score?: number;
}

export interface IdentityRequest {
  readonly request_id: string;
  readonly token: string;
  readonly package_ids: readonly string[];
}

export interface IdentityResponse {
  readonly request_id: string;
  readonly eligible_package_ids: readonly string[];
  readonly ttl_seconds: number;
}

export interface ExposureRequest {
  readonly request_id: string;
  readonly token: string;
  readonly package_id: string;
}

export interface ExposureResponse {
  readonly request_id: string;
  readonly counted: boolean;
}
