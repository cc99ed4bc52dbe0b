import { ADAGENTS_CODES, error, type Sentence, warning } from './adagents-codes.ts';
import { CATALOGUE_CODES } from './catalogue-codes.ts';
import { ENTRY_CODES } from './entry-codes.ts';

/** The hint for a limit that an operator can raise for a known manager, under this name in the file of REGISTRY_DOMAINS. */
const raisable = (bound: string): string =>
  `ask the operator of the registry to raise ${bound} for your domain; until then, list the most important first`;

/**
 * Every code of a finding in a discovery file, with its message and its hint. An error: something is ignored, or the file
 * violates its format. A warning: it is read, but needs attention.
 */
export const FINDING_CODES = {
  // the text
  empty_file: error('the file is empty', 'publish the JSON document at this address'),
  not_utf8: error('the file is not encoded in UTF-8', 'save it as UTF-8 without a byte order mark'),
  compressed: error(
    'the file is compressed, but the Content-Encoding header is missing',
    'send the Content-Encoding header, or publish the file uncompressed',
  ),
  content_type_other: warning(
    'unexpected Content-Type; strict clients reject the file',
    'send Content-Type: application/json; for ads.txt, text/plain',
  ),
  ads_txt_html: warning(
    'ads.txt is an HTML page and is ignored',
    'serve ads.txt as plain text, or answer 404 if the site has no ads.txt',
  ),
  ads_txt_compressed: warning(
    'ads.txt is compressed without a Content-Encoding header and is ignored',
    'send the Content-Encoding header, or publish ads.txt uncompressed',
  ),
  ads_txt_unread: warning(
    'ads.txt could not be read',
    'serve the text with status 200; up to five redirects are followed, over https, and one of them may lead to another domain',
  ),
  bom: warning('the file starts with a byte order mark', 'save it as UTF-8 without a byte order mark'),
  html_not_json: error(
    'the content is an HTML page, not JSON',
    'publish the JSON file at this address, and check that the server does not answer unknown paths with a page',
  ),
  xml_not_json: error('the content is XML, not JSON', 'publish the file as JSON'),
  syntax: error('invalid JSON', 'write valid JSON (RFC 8259)'),
  too_deep: error(
    'the JSON is nested too deeply',
    'use at most 32 levels; the format needs no more than six',
  ),
  too_many_values: error(
    'the JSON has too many values',
    'split the file by publisher, remove unused fields, or ask the operator of the registry to raise max_values for your domain',
  ),
  too_many_keys: error('an object has too many keys', 'use a list instead of an object'),
  string_too_long: error('a key or string is too long and is ignored', 'use at most 65,536 characters'),
  member_unread: error('# is not the name of a field and is ignored', 'use the spelling of the format'),
  member_twice: error(
    '# is ignored: the file also has this field in its correct spelling',
    'move the content to the correctly spelled field, and remove this one',
  ),
  member_unknown: warning(
    '# is not a field of the format',
    'correct the name; begin the names of custom fields with x-',
  ),
  duplicate_key: error('duplicate key; only the last value is used', 'remove one of them'),
  unsafe_key: warning('a reserved key is ignored', 'remove or rename it'),
  not_object: error('the document must be a JSON object', 'wrap the fields in { and }'),
  too_costly: error(
    'the file exceeds the time or memory limit for one file',
    'make it smaller: remove whitespace, repetition and unused fields; an operator can raise the memory limit with max_values',
  ),
  too_many_findings: warning(
    'further findings are not listed',
    'fix the listed findings, and validate the file again',
  ),

  // anything
  wrong_type: error('the value has the wrong type', 'use the type that the format defines for this field'),
  text_too_long: warning('the text is too long and is truncated', 'make it shorter'),
  domain_invalid: error('invalid domain name', 'use the host only, for example news.example'),
  time_invalid: error('invalid timestamp', 'use RFC 3339 with a time zone, for example 2026-01-31T09:00:00Z'),
  date_without_time: warning(
    'date without a time; midnight UTC is assumed',
    'use RFC 3339 with a time zone, for example 2026-01-31T09:00:00Z',
  ),
  url_missing: error(
    'entry ignored: the URL of the agent is missing',
    'add the https URL, for example https://sales.example/mcp',
  ),
  url_invalid: error(
    'entry ignored: invalid agent URL (#)',
    'use an absolute https URL, for example https://sales.example/mcp',
  ),
  url_not_https: error('entry ignored: the agent URL must use https (#)', 'use the https URL of the agent'),
  location_invalid: error(
    'authoritative_location must be an https URL',
    'write the https URL of the file, for example https://cdn.example/adagents.json',
  ),
  location_with_content: warning(
    '# is ignored: authoritative_location refers to another file',
    'remove one of the two fields',
  ),
  location_with_agents: error(
    'the file has authorized_agents and authoritative_location; some buyers read one and some the other, so only what both files authorize counts',
    'remove one of the two fields',
  ),
  nothing_declared: error('the file has none of the required fields', 'add one of these fields'),
  brand_file_here: error(
    'this is a brand.json, so it authorizes no agent to sell',
    'publish it at /.well-known/brand.json; an adagents.json has authorized_agents',
  ),
  adagents_file_here: error(
    'this is an adagents.json, not a brand.json',
    'publish it at /.well-known/adagents.json; a brand.json has house, or id with names, or agents with a type',
  ),
  answer_not_file: error(
    'this is the response of a task or an API, not a discovery file',
    'publish the file itself, without the response around it',
  ),
  schema_of_other_kind: warning(
    '$schema names another kind of file and is ignored',
    'use the $schema of this file, or remove $schema',
  ),
  too_many_agents: error('too many agents; the rest is ignored', raisable('max_agents')),
  too_many_entries: error('too many entries for one publisher; the rest is ignored', raisable('max_entries')),
  too_many_properties: error('too many properties; the rest is ignored', raisable('max_properties')),
  too_many_tags: error('too many tags; the rest is ignored', raisable('max_tags')),
  too_many_domains: error('too many domains; the rest is ignored', raisable('max_named_domains')),
  too_many_references: warning(
    'the file refers to more domains than are crawled for one file',
    'ask the operator of the registry to raise max_domains for your domain',
  ),
  label_too_long: error('a tag or task name is longer than 100 characters and is ignored', 'make it shorter'),
  too_many_labels: error('more than 50 task names; the rest is ignored', 'list at most 50'),

  last_updated_older: error(
    'last_updated is older than in the previous file, so the previous file stays in use',
    'set last_updated to the time of this change; after 7 days the older file is accepted',
  ),
  last_updated_ahead: warning(
    'last_updated is more than a day in the future and is ignored',
    'set it to the time of the last change',
  ),
  last_updated_unreadable: warning(
    'last_updated is not a timestamp, so an outdated copy cannot be detected',
    'use RFC 3339 with a time zone, for example 2026-01-31T09:00:00Z',
  ),

  ...ADAGENTS_CODES,
  ...ENTRY_CODES,
  ...CATALOGUE_CODES,

  // brand.json
  redirect_with_agents: error(
    'the file redirects to another file, so its own agents are ignored',
    'list them in that file; to use this file, write house as {"domain": "…"} and remove authoritative_location',
  ),
  agents_beside_house: warning(
    'agents is outside house, and some clients read only the agents inside house',
    'move agents into house',
  ),
  agent_type_unknown: error(
    'type must be one of the eight agent types',
    'use an allowed type in lower case, for example sales',
  ),
  duplicate_agent_url: error(
    'duplicate agent URL; all entries of this list with this URL are ignored',
    'keep one entry',
  ),
  operator_public_suffix: error(
    'the domain is a public suffix, so the operator is ignored',
    'use the registered domain of the operator',
  ),
  jwks_uri_invalid: error(
    'jwks_uri must be an https URL',
    'write the https URL of the keys, for example https://sales.example/.well-known/jwks.json',
  ),
  brand_agent_old: warning('brand_agent is a legacy field', 'use agents'),
  rights_agent_old: warning('rights_agent is a legacy field', 'use agents with type rights'),
  brand_id_missing: error('the brand has no id', 'add a unique id, for example "shoes"'),
  names_missing: warning('the brand has no names', 'add names, for example [{"en": "Acme"}]'),
  name_invalid: error(
    'a name must be an object of language and text',
    'write both as strings, for example {"en": "Acme"}',
  ),
  house_domain_missing: error('the house has no domain', 'add domain, for example acme.example'),

  // ard.json
  ard_entries_missing: error('entries is required and must be a list', 'write {"entries": […]}'),
  ard_entry_incomplete: error(
    'entry ignored: identifier, type and either url or data are required',
    'add them; an identifier looks like urn:air:acme.example:agent:sales',
  ),
  ard_entry_unread: warning(
    'entry ignored: it refers to a document about the agent, not to the agent',
    'put the URL of the agent in url, or its card in data',
  ),
  ard_publisher_other: error(
    'the identifier names another publisher, so the entry is ignored',
    'use your own domain after urn:air:; other publishers list their own agents',
  ),
} as const satisfies Readonly<Record<string, Sentence>>;

export type FindingCode = keyof typeof FINDING_CODES;
