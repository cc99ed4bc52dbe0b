import { error, type Sentence, warning } from './adagents-codes.ts';

/**
 * Findings about the catalog of an adagents.json, and those about entries that only `validate` reports; a part of
 * FINDING_CODES. They change no authorisation.
 */
export const CATALOGUE_CODES = {
  schema_missing: warning(
    'the file has no $schema, so editors cannot validate it',
    'add the $schema of the adagents.json version that the file follows',
  ),
  last_updated_missing: warning(
    'the file has no last_updated, so an outdated copy cannot be detected',
    'set it to the time of each change, for example 2026-01-31T09:00:00Z',
  ),
  catalog_etag_invalid: error(
    'catalog_etag must be a string of 1 to 255 characters',
    'change it whenever the catalog changes, for example to a timestamp or a revision',
  ),
  entry_twice: warning('the entry duplicates # and adds nothing', 'remove it, or correct what should differ'),
  selector_unmatched: warning(
    'the selector matches none of the properties that the file lists for this publisher',
    'correct the ids or tags, or add the property with its publisher_domain',
  ),
  term_letters: warning(
    'ids and tags of properties may contain only lower-case letters, digits and _; strict clients reject others',
    'rename it wherever it is used, for example to main_site',
  ),
  domain_spelling: warning(
    'the domain is not in canonical form; some clients compare domains byte by byte',
    'use lower case without a trailing dot, and xn-- for other scripts',
  ),
  channel_unknown: warning('unknown channel', 'use one of the channels of the format'),
  revocation_incomplete: error(
    'a revocation requires revoked_at and allows only four reasons; it applies here, but clients reject the whole file',
    "add revoked_at as a timestamp; remove reason, or use one of the format's reasons",
  ),
  key_member_invalid: error(
    'a field of the key is invalid, so its signatures may be rejected',
    'write the fields of a public JWK as strings, and revoked_at as a timestamp with a time zone',
  ),
  encryption_key_invalid: warning(
    'an encryption key requires crv X25519 with kid, kty, use and x, so this one cannot be used',
    'for example {"kid": "k1", "kty": "OKP", "crv": "X25519", "use": "enc", "x": "…"}',
  ),
  feature_incomplete: warning(
    'a provider of property features requires url, name and features; missing or invalid: #',
    'add all three; features is a list of strings',
  ),
  contact_incomplete: warning(
    'contact requires a name, and an email must be valid; missing or invalid: #',
    'write the name of the maintainer and an address such as ads@news.example',
  ),
  publishers_unlinked: warning(
    'the file lists domains whose own files do not refer to it, so it has no effect for them',
    'ask each of them to publish an adagents.json with authoritative_location, or MANAGERDOMAIN in its ads.txt',
  ),
  name_unlisted: warning(
    'nothing in this file has this id or tag',
    'add it to the catalog of this file, or correct it',
  ),
  catalogue_id_missing: error(
    'each item of the catalog requires an id',
    'add the id by which agents and buyers refer to it',
  ),
  catalogue_id_invalid: error(
    'invalid id',
    'use a string; the id of a signal may contain only letters, digits, _ and -',
  ),
  catalogue_id_twice: error('another item of the list has this id', 'give each item its own id'),
  catalogue_name_missing: error(
    'name is required and must have 1 to 255 characters',
    'add a name for people to read',
  ),
  catalogue_tag_invalid: error(
    'tags of a signal may contain only lower-case letters, digits, _ and -',
    'write each tag as a string, for example auto_intender',
  ),
  tag_undescribed: error(
    'a tag requires name and description',
    'write both as strings, or remove the tag here',
  ),
  signal_value_type: error('value_type must be binary, categorical or numeric', 'use one of the three'),
  signal_range: error(
    'range requires the numbers min and max, with min not above max, and may have a unit',
    'for example {"min": 0, "max": 100, "unit": "score"}',
  ),
  signal_values: error(
    'allowed_values must be a non-empty list of strings',
    'write each value as a string, or remove the field',
  ),
  signal_member_idle: warning(
    'range applies to numeric signals and allowed_values to categorical ones, so the field is ignored',
    'correct value_type, or remove the field',
  ),
  signal_category: error(
    'policy_categories must be a non-empty list of strings, and restricted_attributes a non-empty list of known attributes',
    'use the values of the format; governance agents compare them',
  ),
  signal_needs: error(
    'the signal lacks a required field',
    'add the field, so that buyers can judge the signal',
  ),
  placement_scope_missing: error('the placement belongs to no property', 'add property_ids or property_tags'),
  placement_private: error(
    'the field is private to the seller and must not be in a public file',
    'remove it from the file',
  ),
  format_incomplete: error('a format requires format_kind and params', 'add both; params may be {}'),
  format_kind_unknown: warning('unknown format_kind', 'use one of the kinds of the format, or custom'),
  format_members: error('invalid combination of fields', 'see the schema of format declarations'),
  format_option_unknown: error(
    'no format in this file has this format_option_id, so buyers ignore it',
    'add the format to formats, or declare it here with format_kind and params',
  ),
  renderer_misplaced: error(
    'reference_renderer is allowed only in the community format registry; elsewhere clients reject the whole file',
    'remove reference_renderer from the formats',
  ),
  renderer_metadata: error(
    'formats with reference_renderer require catalog_etag, and catalog_role community_format_registry',
    'add both at the top level, or remove reference_renderer',
  ),
  renderer_invalid: error(
    'invalid reference_renderer, so clients reject the whole file',
    'add runtime, package, exact version, export, integrity and provenance',
  ),
  renderer_revision: error(
    'format_revision differs from the one in reference_renderer, so clients reject the whole file',
    'use the same format_revision in both places',
  ),
} as const satisfies Readonly<Record<string, Sentence>>;
