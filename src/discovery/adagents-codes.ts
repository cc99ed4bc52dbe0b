import type { Severity } from '../domain/finding.ts';

export interface Sentence {
  readonly severity: Severity;
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

/** What can be wrong with the content of an adagents.json; a part of FINDING_CODES. */
export const ADAGENTS_CODES = {
  both_agent_lists: warning(
    'the file has authorized_agents and agents; only authorized_agents counts',
    'remove agents',
  ),
  publisher_other: error(
    'publisher.domain is another domain than the one that publishes the file, which therefore authorises nobody here',
    'write the domain at which the file stands, or leave domain out',
  ),
  publisher_unreadable: error(
    'publisher says whose inventory it is, and cannot be read, so the file authorises nobody',
    'write {"name": "News", "domain": "news.example"}, with the domain at which the file stands',
  ),
  protocol_unknown: warning(
    'this protocol is not known, so the claim cannot be compared with the agent',
    'write mcp or a2a',
  ),
  superseded: warning(
    'the file says that another one has taken its place; it counts here as it stands, as for clients of buyers',
    'publish the other file here, or write authoritative_location, so that all read the same',
  ),
  nobody_authorised: warning(
    'the file authorises nobody and has no catalogue',
    'list the agents under authorized_agents',
  ),
  agent_list_missing: warning(
    'the file is a valid catalogue, but without authorized_agents it authorises no agent, and some buyers reject it',
    'add "authorized_agents": [] if no agent is authorised',
  ),
  legacy_entry: warning(
    'the entry has no authorization_type and counts for everything',
    'add authorization_type',
  ),
  legacy_entry_managed: warning(
    'the entry names no publisher, so it authorises nothing in the file of a manager',
    'ask the manager to add authorization_type publisher_properties with a selector that names your domain',
  ),
  legacy_properties: warning('agents under properties are an old form', 'use authorized_agents'),
  legacy_entry_beside: error(
    'the file says more of this agent, so its entry without authorization_type authorises nothing',
    'add authorization_type, or remove the entry',
  ),
  authorization_type_missing: error(
    'the entry has no authorization_type, so it authorises nothing',
    'add authorization_type, with the member that goes with it and no other',
  ),
  companion_extra: error(
    'the member of another type stands beside, so it is not clear what is meant and nothing is authorised',
    'keep the member of the type, and write another entry or selector for the rest',
  ),
  companion_unread: warning(
    'the member of another type is not read, since an entry has one type',
    'write another entry for it',
  ),
  member_misspelt: error(
    'the format does not know this member; it may be meant to narrow, so what it stands in authorises nothing',
    'write the name as the format does; begin the name of a member of your own with x-',
  ),
  member_misplaced: error(
    'this member is not read here; it is meant to narrow, so what it stands in authorises nothing',
    'put it into an entry of authorized_agents, where limits stand',
  ),
  limit_unknown: error(
    'the format has no such limit, so nobody can tell what is left, and what it stands in authorises nothing',
    'name what is allowed: countries, placement_ids, effective_until; begin a member of your own with x-',
  ),
  revocations_misnamed: error(
    'the format writes the name of this member otherwise; what it revokes counts here, and other readers do not see it',
    'write revoked_publisher_domains',
  ),
  name_unclean: error(
    'an id or tag with blanks at its ends, several in a row, or characters that are not seen is left out',
    'write it without them wherever it stands',
  ),
  list_empty: error('the list is empty, so it names nothing', 'name what is meant, or remove the member'),
  property_type_missing: error('the property has no property_type', 'write property_type, such as website'),
  property_type_unknown: warning(
    'this property_type is not known',
    'write one of the types that the format has',
  ),
  property_name_missing: warning('the property has no name', 'write a name for people'),
  identifiers_missing: error(
    'the property has no usable identifier',
    'write identifiers, such as [{"type": "domain", "value": "news.example"}]',
  ),
  identifier_unreadable: error(
    'the identifier is left out, since it needs type and value as texts',
    'write both, such as {"type": "domain", "value": "news.example"}',
  ),
  identifier_type_unknown: warning(
    'this type of identifier is not known',
    'write domain, or the type of the app, screen, feed or station',
  ),
  identifier_domain_invalid: warning(
    'the identifier is not a domain name',
    'write the host only, such as news.example',
  ),
  duplicate_property_id: error(
    'another property of the same publisher has this property_id already, so this one is left out',
    'give each property of a publisher an id of its own',
  ),
  property_of_nobody: warning(
    'another property has this property_id, and this one has no publisher_domain',
    'add publisher_domain to both, or give each an id of its own',
  ),
  property_unknown: warning(
    'no property of this file has this property_id, so it authorises nothing',
    'list the property under properties, or correct the id',
  ),
  property_unknown_referenced: warning(
    'no property of the file that speaks for this domain has this property_id, so it authorises nothing',
    'let whoever keeps that file list the property under properties, or correct the id',
  ),
  tag_unmatched: warning(
    'no property of this file has this tag, so it authorises nothing',
    'give the tag to a property under properties, or correct it',
  ),
  pointer_orphaned: error(
    'the file that authoritative_location names does not name this domain, so it authorises nobody here',
    'let whoever keeps that file add the domain, or publish a file of your own',
  ),
  manager_orphaned: error(
    'the file of the manager that ads.txt names does not name this domain, so it authorises nobody here',
    'let the manager add the domain, or publish an adagents.json of your own',
  ),
  publisher_revoked: error(
    'the file revokes this domain, or did so in the last 7 days, so it authorises nobody here',
    'let whoever keeps that file take the domain out of revoked_publisher_domains',
  ),
  entry_ended: warning(
    'the entry has ended, so its agent may sell nothing by it',
    'renew effective_until, or remove the entry',
  ),
  nobody_in_force: error(
    'the file names this domain, and no entry for it is in force now',
    'let whoever keeps that file renew effective_from and effective_until',
  ),
} as const satisfies Readonly<Record<string, Sentence>>;
