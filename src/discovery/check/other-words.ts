import { isSameWord } from '../../base/near-names.ts';

/** Words that authors write for members of the format, whose letters are far from them. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  url: ['agent_url', 'endpoint', 'agent_endpoint', 'agent', 'address', 'uri', 'href', 'mcp_endpoint'],
  authorized_for: ['purpose', 'scope'],
  property_type: ['type', 'kind'],
  property_id: ['id'],
  publisher_domain: ['domain', 'publisher', 'site'],
  publisher_domains: ['domains', 'publishers', 'sites'],
  selection_type: ['selection', 'type'],
  property_ids: ['ids'],
  property_tags: ['tags'],
  last_updated: ['updated_at', 'updated', 'modified', 'last_modified', 'lastmod'],
  domain: ['url', 'website'],
};

/** Words for values of the format, by the value. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  website: ['web', 'site', 'web_site', 'domain', 'url'],
  mobile_app: ['app', 'mobile', 'ios', 'android', 'ios_app', 'android_app'],
  ctv_app: ['ctv', 'tv', 'connected_tv', 'ott', 'smart_tv'],
  dooh: ['ooh', 'screen', 'billboard'],
  domain: ['website', 'web', 'site', 'url', 'hostname', 'host'],
  sales: ['seller', 'sell', 'ssp', 'publisher'],
  buying: ['buyer', 'buy', 'dsp', 'media_buying'],
  all: ['any', 'every', 'everything', '*'],
  by_id: ['id', 'ids', 'property_ids'],
  by_tag: ['tag', 'tags', 'property_tags'],
  binary: ['bool', 'boolean'],
  numeric: ['number', 'integer', 'int', 'float'],
  categorical: ['enum', 'category', 'string', 'text'],
};

/** The member, of some that are wanted, for which authors write this word; a guess. */
export function memberOfWord(word: string, wanted: Iterable<string>): string | undefined {
  return meantBy(word, wanted, MEMBERS);
}

/** The value, of those allowed, for which authors write this word; a guess. */
export function valueOfWord(word: string, allowed: Iterable<string>): string | undefined {
  return meantBy(word, allowed, VALUES);
}

function meantBy(
  word: string,
  known: Iterable<string>,
  words: Readonly<Record<string, readonly string[]>>,
): string | undefined {
  for (const name of known)
    if (Object.hasOwn(words, name) && words[name]?.some((other) => isSameWord(word, other))) return name;
  return undefined;
}
