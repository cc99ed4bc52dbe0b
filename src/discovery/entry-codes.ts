import { error, type Sentence } from './adagents-codes.ts';

/** What can be wrong with the scope, the limits and the keys of an entry; a part of FINDING_CODES. */
export const ENTRY_CODES = {
  authorized_for_missing: error(
    'authorized_for must say what the agent is authorised for',
    'write a sentence for people, such as "display on our sites"',
  ),
  authorized_for_length: error(
    'authorized_for must have 1 to 500 characters',
    'write a short sentence for people',
  ),
  authorization_type_unknown: error(
    'this authorization_type is not known',
    'write one of the six types; for all of a publisher, publisher_properties with selection_type all',
  ),
  companion_missing: error(
    'the member that goes with the authorization_type is missing or empty',
    'write the member, with at least one element',
  ),
  selector_domains: error(
    'a selector must have exactly one of publisher_domain and publisher_domains',
    'keep one of the two',
  ),
  selector_by_id_domains: error(
    'selection_type by_id goes with publisher_domain only',
    'write one selector for each publisher',
  ),
  selection_type_unknown: error('selection_type must be all, by_id or by_tag', 'write all, by_id or by_tag'),
  delegation_type_unknown: error(
    'delegation_type must be direct, delegated or ad_network',
    'write one of the three, or remove the member',
  ),
  country_invalid: error(
    'this is no country of ISO 3166-1, so it is left out',
    'write two capitals such as DE; the United Kingdom is GB, and the EU is written country by country',
  ),
  limit_unreadable: error(
    'the entry has a limit that cannot be read, so it authorises nothing',
    'write the limit as the format does, or remove the member; null counts as a limit that is lost',
  ),
  too_many_placements: error(
    'more placements have these tags than are looked up, so the entry is for no single placement',
    'name the placements under placement_ids',
  ),
  window_empty: error(
    'effective_until is not after effective_from, so the entry is never in force',
    'put effective_until after effective_from, or remove the entry',
  ),
  key_invalid: error(
    'a signing key must be a public JWK with kid and kty',
    'write the public key as a JWK (RFC 7517), with kid and kty',
  ),
  too_many_signing_keys: error(
    'the entry pins more keys than are read, and those behind do not count',
    'pin the keys that are in use, at most 50',
  ),
  private_key: error(
    'the signing key has private members; take it out of use',
    'publish the public members only',
  ),
} as const satisfies Readonly<Record<string, Sentence>>;
