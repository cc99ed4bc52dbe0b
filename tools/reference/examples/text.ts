import { adagents, brand, type Example, one, textOf } from './example.ts';

const GOOD = textOf(adagents());

/** Findings about the text of a file, and those that both kinds of file have. */
export const TEXT_EXAMPLES: Readonly<Record<string, Example>> = {
  empty_file: one(' \n', GOOD),
  not_utf8: { words: 'An editor saved the file as Latin-1 or UTF-16. Save it as UTF-8.' },
  compressed: {
    words: 'The server sends the content of `adagents.json.gz` without `Content-Encoding: gzip`.',
  },
  content_type_other: {
    words:
      'The file is served as `text/html` or `text/plain`. The registry reads it; clients that require `application/json` reject it.',
  },
  ads_txt_html: {
    words: 'The site answers unknown paths with an HTML page and status 200. HTML is never read as ads.txt.',
  },
  ads_txt_compressed: { words: 'The server sends `ads.txt.gz` without `Content-Encoding: gzip`.' },
  ads_txt_unread: {
    words:
      'ads.txt redirects to another domain, which redirects to a third one. Redirect to the final URL directly.',
  },
  bom: one(`\ufeff${GOOD}`, GOOD),
  html_not_json: one('<!doctype html>\n<title>Page not found</title>\n', GOOD),
  xml_not_json: one('<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>\n', GOOD),
  syntax: one(GOOD.replace('"site"\n', '"site",\n'), GOOD),
  too_deep: {
    words: 'The file nests more than 32 lists and objects. The format needs at most 6 levels.',
  },
  too_many_values: {
    words: 'The file has more than 1,000,000 values. Remove unused fields, or split the file by publisher.',
  },
  too_many_keys: { words: 'One object has more than 10,000 fields. Use a list instead.' },
  string_too_long: { words: 'One string has more than 65,536 characters. Shorten it.' },
  member_unread: one(
    adagents({
      entry: {
        property_ids: undefined,
        propertyIds: ['site'],
        authorizedFor: 'display',
        authorized_for: undefined,
      },
    }),
    adagents({ entry: { authorized_for: 'display' } }),
    ['companion_missing', 'authorized_for_missing', 'member_misspelt'],
  ),
  member_twice: one(adagents({ top: { authorised_agents: [{ url: 'https://video.example/mcp' }] } })),
  member_unknown: one(
    adagents({ top: { contct: { name: 'Ad desk' } } }),
    adagents({ top: { contact: { name: 'Ad desk' } } }),
  ),
  duplicate_key: one(GOOD.replace('"name": "News",', '"name": "News",\n      "name": "News",'), GOOD),
  unsafe_key: one(GOOD.replace('{\n', '{\n  "constructor": 1,\n'), GOOD),
  not_object: one('["https://sales.example/mcp"]\n', GOOD),
  too_costly: { words: 'Reading the file exceeded 30 seconds or the memory limit. Make it smaller.' },
  too_many_findings: {
    words: 'At most 200 findings of a file are listed. Fix them, and validate the file again.',
  },
  wrong_type: one(adagents({ entry: { property_ids: 'site' } }), adagents(), [
    'companion_missing',
    'list_empty',
  ]),
  text_too_long: { words: 'A name has more than 500 characters. Shorten it.' },
  domain_invalid: one(
    adagents({ property: { publisher_domain: 'https://news.example/' } }),
    adagents({ property: { publisher_domain: 'news.example' } }),
    ['property_unknown'],
  ),
  time_invalid: one(
    adagents({ entry: { effective_until: '31.12.2026' } }),
    adagents({ entry: { effective_until: '2026-12-31T23:59:59Z' } }),
    ['limit_unreadable'],
  ),
  date_without_time: one(
    adagents({ entry: { effective_until: '2026-12-31' } }),
    adagents({ entry: { effective_until: '2026-12-31T00:00:00Z' } }),
  ),
  url_missing: one(adagents({ entry: { url: undefined } })),
  url_invalid: one(adagents({ entry: { url: 'sales.example' } })),
  url_not_https: one(adagents({ entry: { url: 'http://sales.example/mcp' } })),
  location_invalid: one(
    { authoritative_location: 'http://cdn.example/adagents.json' },
    { authoritative_location: 'https://cdn.example/adagents.json' },
  ),
  location_with_content: one(
    {
      authoritative_location: 'https://cdn.example/adagents.json',
      agents: [{ url: 'https://sales.example/mcp' }],
    },
    { authoritative_location: 'https://cdn.example/adagents.json' },
  ),
  location_with_agents: one(
    { authoritative_location: 'https://cdn.example/adagents.json', ...adagents() },
    { authoritative_location: 'https://cdn.example/adagents.json' },
  ),
  nothing_declared: one({ sellers: ['https://sales.example/mcp'] }, adagents()),
  brand_file_here: one(brand(), adagents()),
  adagents_file_here: { kind: 'brand', before: adagents(), after: brand() },
  answer_not_file: one(
    { status: 'completed', agents: [{ url: 'https://sales.example/mcp' }] },
    { agents: [{ url: 'https://sales.example/mcp' }] },
  ),
  schema_of_other_kind: one(
    adagents({ top: { $schema: 'https://schemas.example/brand.json' } }),
    adagents({ top: { $schema: 'https://schemas.example/adagents.json' } }),
  ),
  too_many_agents: {
    words:
      'The file lists more than 500 agents. Ask the operator of the registry to raise the limit for your domain.',
  },
  too_many_entries: {
    words:
      'More than 5,000 entries concern one publisher. Merge entries, or ask the operator to raise the limit.',
  },
  too_many_properties: {
    words:
      'The file lists more than 20,000 properties. Split it by publisher, or ask the operator to raise the limit.',
  },
  too_many_tags: {
    words: 'The properties have more than 100,000 tags in total. Remove tags that no entry uses.',
  },
  too_many_domains: {
    words: 'The file lists more than 200,000 domains. Split it, or ask the operator to raise the limit.',
  },
  too_many_references: {
    words:
      'The file refers to more than 10,000 domains; the others are not crawled because of this file. Ask the operator to raise the limit.',
  },
  label_too_long: one(adagents({ property: { tags: ['news', 'x'.repeat(101)] } })),
  too_many_labels: {
    words: 'An agent of the simple form claims more than 50 tasks. List at most 50.',
  },
  last_updated_older: {
    words:
      'An outdated copy was published: its `last_updated` is earlier than in the previous file. Publish the newest file.',
  },
  last_updated_ahead: one(
    adagents({ top: { last_updated: '2099-01-01T00:00:00Z' } }),
    adagents({ top: { last_updated: '2026-01-31T09:00:00Z' } }),
  ),
  last_updated_unreadable: one(
    adagents({ top: { last_updated: 'yesterday' } }),
    adagents({ top: { last_updated: '2026-01-31T09:00:00Z' } }),
  ),
  property_unknown_referenced: {
    words:
      'The file in use for your domain contains a `property_id` in an entry, but no property with this id. Ask its maintainer to correct it.',
  },
  too_many_placements: {
    words:
      'More than 20,000 placements in the file match `placement_tags`. List the placements in `placement_ids` instead.',
  },
  pointer_orphaned: {
    words:
      'Your file refers to the file of a network, which lists only other domains. Ask the network to add a selector for your domain.',
  },
  manager_orphaned: {
    words:
      'The file of the `MANAGERDOMAIN` in your ads.txt lists only other domains. Ask the manager to add your domain.',
  },
  legacy_entry_managed: {
    words:
      'The file of your manager has an entry `{url, authorized_for}`. It covers the inventory of the manager itself, not yours.',
  },
  publisher_revoked: {
    words: 'The file of the network lists your domain in `revoked_publisher_domains`.',
  },
  entry_ended: one(
    adagents({ entry: { effective_until: '2026-01-31T09:00:00Z' } }),
    adagents({ entry: { effective_until: '2099-01-31T09:00:00Z' } }),
  ),
  nobody_in_force: {
    words: 'The entry for your domain has expired. Ask the network to set a later `effective_until`.',
  },
};
