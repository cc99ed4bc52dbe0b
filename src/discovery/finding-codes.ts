import { ADAGENTS_CODES, error, type Sentence, warning } from './adagents-codes.ts';
import { CATALOGUE_CODES } from './catalogue-codes.ts';
import { ENTRY_CODES } from './entry-codes.ts';

/** What is over a bound that an operator can raise for a known manager, under this name in the file of REGISTRY_DOMAINS. */
const raisable = (bound: string): string =>
  `ask the operator of the registry to raise ${bound} for your domain; until then put first what matters most`;

/**
 * Every code that the readers of discovery files can find, with its sentence. An error says that something was
 * left out or that the file is against its format; a warning, that it was read but should be looked at.
 */
export const FINDING_CODES = {
  // the text
  empty_file: error('the file is empty', 'publish the file with its content'),
  not_utf8: error('the file is not UTF-8', 'save it as UTF-8 without a byte order mark'),
  compressed: error(
    'the file is compressed, and no Content-Encoding says so',
    'send Content-Encoding with it, or publish the text itself',
  ),
  content_type_other: warning(
    'the server sends another Content-Type than the format demands; strict readers refuse the file',
    'send Content-Type: application/json; for ads.txt, text/plain',
  ),
  ads_txt_html: warning(
    'ads.txt is an HTML page, so it names no manager',
    'serve the text itself, or answer 404 where there is no ads.txt',
  ),
  ads_txt_compressed: warning(
    'ads.txt is compressed and no Content-Encoding says so, so it names no manager',
    'send Content-Encoding with it, or publish the text itself',
  ),
  ads_txt_unread: warning(
    'ads.txt could not be read, so it names no manager',
    'answer with the text itself; redirects may lead to one other domain, over https, and are five at most',
  ),
  bom: warning('the file starts with a byte order mark', 'save it as UTF-8 without a byte order mark'),
  html_not_json: error(
    'the answer is an HTML page and not JSON',
    'check that the server does not answer unknown paths with a page',
  ),
  xml_not_json: error(
    'the answer is an XML document and not JSON',
    'check what the server answers; publish JSON',
  ),
  syntax: error('the JSON is broken', 'write JSON (RFC 8259)'),
  too_deep: error('the JSON is nested too deeply', 'no member of the format needs more than six levels'),
  too_many_values: error(
    'the JSON has too many values',
    'divide it by publisher, leave out what nobody reads, or ask the operator of the registry to raise max_values for your domain',
  ),
  too_many_keys: error('an object has too many keys', 'write a list instead'),
  string_too_long: error('a key or a text is too long and was left out', 'make it shorter'),
  member_unread: error(
    'the format writes the name of this member otherwise, so nobody reads it',
    'write the name as the format does',
  ),
  member_twice: error(
    'the format writes the name of this member otherwise, and that one stands here too, so this one is not read',
    'put what it says into the one that is read, and remove it',
  ),
  member_unknown: warning(
    'the format does not know this member, and one that may be meant is missing',
    'correct the name; begin the name of a member of your own with x-',
  ),
  duplicate_key: error('a key stands twice in one object and only the last one counts', 'remove one of them'),
  unsafe_key: warning('a key with this name is left out', 'remove it, or give it another name'),
  not_object: error('the document must be a JSON object', 'put the members into { and }'),
  too_costly: error(
    'the file takes more time or memory than one file may',
    'make it smaller: leave out blanks, repetitions and what nobody reads; an operator gives a file more memory with max_values',
  ),
  too_many_findings: warning(
    'further findings were left out',
    'repair those that are listed, and check again',
  ),

  // anything
  wrong_type: error('the value has the wrong type', 'write a value of the type that the format has here'),
  text_too_long: warning('the text was cut', 'make it shorter'),
  domain_invalid: error('this is not a domain name', 'write the host only, such as news.example'),
  time_invalid: error('this is not a time', 'write RFC 3339 with a time zone, such as 2026-01-31T09:00:00Z'),
  date_without_time: warning(
    'a date without a time counts from midnight UTC',
    'write RFC 3339 with a time zone',
  ),
  url_missing: error('the entry names no agent URL', 'write its https address'),
  url_invalid: error('this is not a usable URL', 'write an address such as https://sales.example/mcp'),
  url_not_https: error('the URL must start with https://', 'write the https address of the agent'),
  location_invalid: error(
    'authoritative_location must be an https URL',
    'write the https address of the file',
  ),
  location_with_content: warning(
    'the file leads to another one, so its other content does not count',
    'remove one of them',
  ),
  location_with_agents: error(
    'buyers read authorized_agents here, and others authoritative_location; only what both say alike counts',
    'remove one of them',
  ),
  nothing_declared: error(
    'the file has none of the members that the format knows',
    'write one of these members',
  ),
  brand_file_here: error(
    'this is a brand.json, and it authorises nobody to sell',
    'move it to /.well-known/brand.json; an adagents.json has authorized_agents',
  ),
  adagents_file_here: error(
    'this is an adagents.json, and it says nothing of a brand',
    'move it to /.well-known/adagents.json; a brand.json has house, or id with names, or agents with a type',
  ),
  answer_not_file: error(
    'this is the answer of a task or of an API and no discovery file',
    'publish the file itself, with nothing around it',
  ),
  schema_of_other_kind: warning(
    'the $schema is that of another file, and the members decide',
    'name the schema of this file, or leave $schema out',
  ),
  too_many_agents: error('the file names more agents than are read', raisable('max_agents')),
  too_many_entries: error(
    'the file has more entries for one publisher than are read',
    raisable('max_entries'),
  ),
  too_many_properties: error('the file lists more properties than are read', raisable('max_properties')),
  too_many_tags: error('the file has more tags than are read', raisable('max_tags')),
  too_many_domains: error('the file names more domains than are read', raisable('max_named_domains')),
  too_many_references: warning(
    'the file leads to more domains than are visited because of one file',
    'ask the operator of the registry to raise max_domains for your domain',
  ),
  label_too_long: error(
    'a tag or task name has more than 100 characters and was left out',
    'make it shorter',
  ),
  too_many_labels: error(
    'the list has more than 50 task names and was cut',
    'name 50 at most; those behind do not count',
  ),

  last_updated_older: error(
    'last_updated is older than in the file that was here before, so the last good one stays',
    'write the time of this change; after 7 days the older file counts',
  ),
  last_updated_ahead: warning(
    'last_updated lies more than a day ahead and says nothing',
    'write the time at which the file was changed',
  ),
  last_updated_unreadable: warning(
    'last_updated is not a time, so nobody can tell an older file',
    'write RFC 3339 with a time zone, such as 2026-01-31T09:00:00Z',
  ),

  ...ADAGENTS_CODES,
  ...ENTRY_CODES,
  ...CATALOGUE_CODES,

  // brand.json
  redirect_with_agents: error(
    'the file leads to another one, so the agents in this one do not count',
    'list them in that file; if this one is to count, write house as {"domain": "…"} and no authoritative_location',
  ),
  agents_beside_house: warning(
    'the format has the agents of a house inside it, so some readers do not see these',
    'move agents into house',
  ),
  agent_type_unknown: error(
    'the type must be one of the eight agent types',
    'write one of them, in lower case',
  ),
  duplicate_agent_url: error(
    'the URL stands twice in this list, so none of these entries counts',
    'keep one entry',
  ),
  operator_public_suffix: error(
    'the operator is a public suffix, which names nobody',
    'name the domain that the operator has registered',
  ),
  jwks_uri_invalid: error('jwks_uri must be an https URL', 'write the https address of the keys'),
  brand_agent_old: warning('brand_agent is an old form', 'use agents'),
  rights_agent_old: warning('rights_agent is an old form', 'use agents, with type rights'),
  brand_id_missing: error('the brand has no id', 'give it an id of its own'),
  names_missing: warning('the brand has no names', 'write names, such as [{"en": "Acme"}]'),
  name_invalid: error(
    'a name is an object of language and text, such as {"en": "Acme"}',
    'write both as texts',
  ),
  house_domain_missing: error('the house has no domain', 'write domain, such as acme.example'),

  // ard.json
  ard_entries_missing: error('entries must be a list', 'write the entries as {"entries": […]}'),
  ard_entry_incomplete: error(
    'the entry needs an identifier such as urn:air:acme.example:agent:sales, a type, and either url or data',
    'write all of them; without one of them the entry is not read',
  ),
  ard_entry_unread: warning(
    'the entry leads to a document about its agent, and only addresses are called',
    'write the address of the agent as url, or the card itself as data',
  ),
  ard_publisher_other: error(
    'the identifier names another publisher than this domain, so the entry does not count',
    'write your own domain behind urn:air:, and let others publish their agents',
  ),
} as const satisfies Readonly<Record<string, Sentence>>;

export type FindingCode = keyof typeof FINDING_CODES;
