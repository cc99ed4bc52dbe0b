import { error, type Sentence } from './adagents-codes.ts';

/** Findings about the scope, the limits and the keys of an entry; a part of FINDING_CODES. */
export const ENTRY_CODES = {
  authorized_for_missing: error(
    'authorized_for is required',
    'describe what the agent may sell, for example "Display ads on our sites"',
  ),
  authorized_for_length: error(
    'authorized_for must have 1 to 500 characters',
    'write a short sentence, for example "Display ads on our sites"',
  ),
  authorization_type_unknown: error(
    'entry ignored: unknown authorization_type #',
    'use one of the six types; for all properties of a publisher, publisher_properties with selection_type all',
  ),
  companion_missing: error(
    '# is required and must not be empty',
    'add it with at least one value; without it nothing is authorized here',
  ),
  selector_domains: error(
    'selector ignored: it must have exactly one of publisher_domain and publisher_domains',
    'keep one of the two, for example "publisher_domain": "news.example"',
  ),
  selector_by_id_domains: error(
    'selector ignored: selection_type by_id requires publisher_domain',
    'write one selector with publisher_domain for each publisher',
  ),
  selection_type_unknown: error(
    'selection_type must be all, by_id or by_tag, so the selector is ignored',
    'use all, by_id or by_tag',
  ),
  delegation_type_unknown: error(
    'delegation_type must be direct, delegated or ad_network',
    'use one of the three; remove the field if the entry has no such limit',
  ),
  country_invalid: error(
    'country ignored: # is not an ISO 3166-1 alpha-2 code',
    'use two capital letters, for example DE; the code of the United Kingdom is GB; list the countries of the EU one by one',
  ),
  limit_unreadable: error(
    'entry ignored: invalid #',
    'correct the value, for example "countries": ["DE"]; remove the field only if the entry has no such limit; do not use null',
  ),
  too_many_placements: error(
    'too many placements have these tags, so the entry covers no single placement',
    'list the placements in placement_ids',
  ),
  window_empty: error(
    'entry ignored: effective_until is not after effective_from',
    'set effective_until to a time after effective_from, or remove the entry',
  ),
  key_invalid: error(
    'a signing key must be a public JWK with kid and kty',
    'write the public key as a JWK (RFC 7517), for example {"kid": "2026-01", "kty": "OKP", "crv": "Ed25519", "x": "…"}',
  ),
  too_many_signing_keys: error(
    'too many signing keys; the rest is ignored',
    'list only the keys in use, at most 50',
  ),
  private_key: error(
    'the signing key contains private key material (#); replace the key',
    'publish only the public fields of a new key',
  ),
} as const satisfies Readonly<Record<string, Sentence>>;
