import type { Severity } from '../domain/finding.ts';

export interface Sentence {
  readonly severity: Severity;
  /** `#` stands for the detail of a finding, such as the name of a field; without it the detail follows the message. */
  readonly message: string;
  readonly hint?: string;
}

export const error = (message: string, hint?: string): Sentence => ({
  severity: 'error',
  message,
  ...(hint && { hint }),
});
export const warning = (message: string, hint?: string): Sentence => ({
  severity: 'warning',
  message,
  ...(hint && { hint }),
});

/** Findings about the content of an adagents.json; a part of FINDING_CODES. */
export const ADAGENTS_CODES = {
  both_agent_lists: warning(
    'the file has two lists of agents; only authorized_agents is read',
    'remove the other list',
  ),
  publisher_other: error(
    'publisher.domain is not the domain that publishes the file, so the file authorizes no agent here',
    'set publisher.domain to the publishing domain, or remove it',
  ),
  publisher_unreadable: error(
    'publisher is invalid, so the file authorizes no agent',
    'write {"name": "News", "domain": "news.example"} with the domain that publishes the file',
  ),
  protocol_unknown: warning(
    'unknown protocol, so the claim cannot be compared with the agent',
    'use mcp or a2a',
  ),
  superseded: warning(
    'superseded_by names a newer file (#), but this file stays in use',
    'publish the newer file here, or refer to it with authoritative_location',
  ),
  nobody_authorised: warning(
    'the file authorizes no agent and has no catalog',
    'list the agents in authorized_agents',
  ),
  agent_list_missing: warning(
    'the file is a valid catalog without authorized_agents: it authorizes no agent, and some buyers reject it',
    'add "authorized_agents": [] if no agent is authorized',
  ),
  legacy_entry: warning(
    'the entry has no authorization_type: it covers the whole inventory, and strict clients ignore it',
    'add authorization_type and its field, for example "authorization_type": "property_ids", "property_ids": ["site"]',
  ),
  legacy_entry_managed: warning(
    'the entry names no publisher, so it authorizes nothing in the file of a manager',
    'ask the manager to add authorization_type publisher_properties with a selector for your domain',
  ),
  legacy_properties: warning('agents inside properties is a legacy form', 'use authorized_agents'),
  legacy_entry_beside: error(
    'entry ignored: it has no authorization_type, and another entry limits the same agent',
    'add authorization_type, or remove this entry',
  ),
  authorization_type_missing: error(
    'authorization_type is required, so the entry is ignored',
    'add authorization_type and the one field that belongs to it, for example "authorization_type": "property_ids", "property_ids": ["site"]',
  ),
  companion_extra: error(
    'the scope is ambiguous and authorizes nothing',
    'keep the field of the type, and add another entry or selector for the rest',
  ),
  companion_unread: warning('a field of another authorization_type is ignored', 'add another entry for it'),
  member_misspelt: error(
    'unknown field that may be a limit, so the object that contains it is ignored',
    'correct the spelling; begin the names of custom fields with x-',
  ),
  member_misplaced: error(
    '# is a limit in the wrong place, so the object that contains it is ignored',
    'move it to an entry of authorized_agents',
  ),
  limit_unknown: error(
    '# is not a limit of the format, so the object that contains it is ignored',
    'state what is allowed with countries, placement_ids or effective_until; begin the names of custom fields with x-',
  ),
  revocations_misnamed: error(
    '# is not the name of the field: its revocations apply here, but other clients ignore them',
    'use revoked_publisher_domains',
  ),
  name_unclean: error(
    'an id or tag with extra whitespace or invisible characters is ignored',
    'remove leading, trailing and repeated spaces and invisible characters wherever the id or tag is used',
  ),
  list_empty: error(
    'the list must not be empty',
    'add at least one value; remove the field only if it is not needed',
  ),
  property_type_missing: error(
    'property ignored: property_type is required',
    'add property_type, for example website',
  ),
  property_type_unknown: warning(
    'unknown property_type',
    'use one of the types of the format, for example website',
  ),
  property_name_missing: warning('the property has no name', 'add a name for people to read'),
  identifiers_missing: error(
    'property ignored: it has no valid identifier',
    'add identifiers, for example [{"type": "domain", "value": "news.example"}]',
  ),
  identifier_unreadable: error(
    'identifier ignored: type and value are required and must be strings',
    'write both, for example {"type": "domain", "value": "news.example"}',
  ),
  identifier_type_unknown: warning(
    'unknown identifier type',
    'use domain, or the type for the app, screen, feed or station',
  ),
  identifier_domain_invalid: warning(
    'the identifier is not a domain name',
    'use the host only, for example news.example',
  ),
  duplicate_property_id: error(
    'property ignored: another property of the publisher has this property_id',
    'give each property of a publisher its own property_id',
  ),
  property_of_nobody: warning(
    'another property has this property_id, and this one has no publisher_domain',
    'add publisher_domain to both, or use different ids',
  ),
  property_unknown: warning(
    'no property in this file has this property_id, so it authorizes nothing',
    'add the property to properties, or correct the id',
  ),
  property_unknown_referenced: warning(
    'no property in the file that is used for this domain has this property_id, so it authorizes nothing',
    'ask the maintainer of that file to add the property or correct the id',
  ),
  tag_unmatched: warning(
    'no property in this file has this tag, so it authorizes nothing',
    'add the tag to a property in properties, or correct the tag',
  ),
  pointer_orphaned: error(
    'the file at authoritative_location does not list this domain, so it authorizes no agent here',
    'ask the maintainer of that file to add the domain, or publish your own file',
  ),
  manager_orphaned: error(
    'the file of the manager in ads.txt does not list this domain, so it authorizes no agent here',
    'ask the manager to add the domain, or publish your own adagents.json',
  ),
  publisher_revoked: error(
    'the file revokes this domain, or revoked it in the last 7 days, so it authorizes no agent here',
    'ask the maintainer of that file to remove the domain from revoked_publisher_domains',
  ),
  entry_ended: warning(
    'entry expired at #, so it authorizes nothing now',
    'set a later effective_until, for example 2027-01-31T09:00:00Z, or remove the entry',
  ),
  nobody_in_force: error(
    'the file lists this domain, but none of its entries is in force now',
    'ask the maintainer of that file to update effective_from and effective_until',
  ),
} as const satisfies Readonly<Record<string, Sentence>>;
