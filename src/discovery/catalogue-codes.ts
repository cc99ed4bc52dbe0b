import { error, type Sentence, warning } from './adagents-codes.ts';

/**
 * What can be wrong with the catalogue of an adagents.json, and what only `validate` says of its entries; a part of
 * FINDING_CODES. None of them takes an authorisation away.
 */
export const CATALOGUE_CODES = {
  schema_missing: warning(
    'the file has no $schema, so editors cannot check it',
    'name the schema of adagents.json that the file follows',
  ),
  last_updated_missing: warning(
    'the file has no last_updated, so nobody can tell an older copy of it',
    'write the time of each change, such as 2026-01-31T09:00:00Z',
  ),
  catalog_etag_invalid: error(
    'catalog_etag must be a text of 1 to 255 characters',
    'write another value whenever the catalogue changes, such as a time or a revision',
  ),
  entry_twice: warning(
    'another entry says the same of this agent, so this one adds nothing',
    'remove it, or write the difference that was meant',
  ),
  selector_unmatched: warning(
    'the file lists properties of this publisher, and the selector matches none of them',
    'correct the ids or tags, or list the property with its publisher_domain',
  ),
  term_letters: warning(
    'ids and tags of properties have small letters, digits and _ only, and strict clients refuse others',
    'write it so wherever it stands, as in main_site',
  ),
  domain_spelling: warning(
    'this domain is not written in its one form, and some clients compare it letter by letter',
    'write small letters, no dot at the end, and other scripts as xn--',
  ),
  channel_unknown: warning('this channel is not known', 'write one of those that the format has'),
  revocation_incomplete: error(
    'a revocation has revoked_at and perhaps one of four reasons; it counts here, and clients refuse the whole file',
    'write revoked_at as a time; leave reason out, or write one of those that the format has',
  ),
  key_member_invalid: error(
    'this member of the key cannot be read, so signatures by it may be refused',
    'write members of a public JWK as texts, and revoked_at as a time with a zone',
  ),
  encryption_key_invalid: warning(
    'an encryption key is X25519 with kid, kty, crv, use and x, so nobody can use this one',
    'write such as {"kid": "k1", "kty": "OKP", "crv": "X25519", "use": "enc", "x": "…"}',
  ),
  feature_incomplete: warning(
    'who provides features of properties is named by url, name and features',
    'write all three, the features as a list of texts',
  ),
  contact_incomplete: warning(
    'a contact has a name, and an email where one is written',
    'write the name of who keeps the file, and an address such as ads@news.example',
  ),
  publishers_unlinked: warning(
    'the file names domains whose own files do not lead to it, so it counts for nothing there',
    'let each publish an adagents.json with authoritative_location, or MANAGERDOMAIN in its ads.txt',
  ),
  name_unlisted: warning(
    'nothing in this file has this id or tag',
    'list it in the catalogue of this file, or correct it',
  ),
  catalogue_id_missing: error(
    'what stands in the catalogue needs an id, by which others name it',
    'write its id: the text by which agents and buyers name it',
  ),
  catalogue_id_invalid: error(
    'this id cannot be used',
    'write a text; the id of a signal has letters, digits, _ and - only',
  ),
  catalogue_id_twice: error('something in the same list has this id already', 'give each an id of its own'),
  catalogue_name_missing: error('it needs a name of 1 to 255 characters', 'write a name for people'),
  catalogue_tag_invalid: error(
    'a tag of a signal has small letters, digits, _ and - only',
    'write each tag as a text, such as auto_intender',
  ),
  tag_undescribed: error(
    'a tag is explained by name and description',
    'write both as texts, or remove the tag here',
  ),
  signal_value_type: error('value_type must be binary, categorical or numeric', 'write one of the three'),
  signal_range: error(
    'a range has min and max as numbers, min not above max, and perhaps a unit',
    'write such as {"min": 0, "max": 100, "unit": "score"}',
  ),
  signal_values: error(
    'allowed_values must be a list of texts that is not empty',
    'write each value as a text, or remove the member',
  ),
  signal_member_idle: warning(
    'range is for numeric signals and allowed_values for categorical ones, so it says nothing here',
    'correct value_type, or remove the member',
  ),
  signal_category: error(
    'the categories of a signal are a list of texts that is not empty, restricted_attributes of known ones',
    'write the categories that the format has; governance agents compare them',
  ),
  signal_needs: error(
    'what the signal says of itself asks for another member, which is missing',
    'write the member, so that buyers can judge the signal',
  ),
  placement_scope_missing: error(
    'the placement belongs to no property',
    'write property_ids or property_tags',
  ),
  placement_private: error(
    'this member is for products and private to the seller, and the file is public',
    'take it out of the file',
  ),
  format_incomplete: error('a format needs format_kind and params', 'write both; params may be {}'),
  format_kind_unknown: warning(
    'this format_kind is not known',
    'write one of those that the format has, or custom',
  ),
  format_members: error(
    'the members of this format do not go together',
    'see the schema of format declarations',
  ),
  format_option_unknown: error(
    'no format of this file has this format_option_id, so buyers drop it',
    'list the format under formats, or declare it here with format_kind and params',
  ),
  renderer_misplaced: error(
    'reference_renderer is for the community registry of formats; clients refuse the whole file elsewhere',
    'remove reference_renderer from the formats',
  ),
  renderer_metadata: error(
    'formats with reference_renderer need catalog_etag, and catalog_role community_format_registry',
    'write both at the top of the file, or remove reference_renderer',
  ),
  renderer_invalid: error(
    'this reference_renderer is not pinned as the format wants it, and clients refuse the whole file',
    'write runtime, package, exact version, export, integrity and provenance',
  ),
  renderer_revision: error(
    'format_revision stands beside reference_renderer, and must be the one inside it, or clients refuse the whole file',
    'write the same format_revision in both places',
  ),
} as const satisfies Readonly<Record<string, Sentence>>;
