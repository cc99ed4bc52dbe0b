import { adagents, brand, type Example, one, textOf } from './example.ts';

const GOOD = textOf(adagents());

/** Of the text of a file, and of what both kinds of file have. */
export const TEXT_EXAMPLES: Readonly<Record<string, Example>> = {
  empty_file: one(' \n', GOOD),
  not_utf8: { words: 'An editor saved the file as Latin-1 or UTF-16. Save it as UTF-8.' },
  compressed: {
    words:
      'The server sends `adagents.json.gz` under the name of the file, without `Content-Encoding: gzip`.',
  },
  content_type_other: {
    words:
      'The file is served as `text/html` or `text/plain`. It is read; clients that want `application/json` refuse it.',
  },
  ads_txt_html: {
    words:
      'The site answers unknown paths with a page and status 200. An HTML page is not read as ads.txt, whatever it contains.',
  },
  ads_txt_compressed: { words: 'The server sends `ads.txt.gz` without `Content-Encoding: gzip`.' },
  ads_txt_unread: {
    words:
      'ads.txt redirects to its host, and that one to a third domain. Let the first redirect lead to the file itself.',
  },
  bom: one(`\ufeff${GOOD}`, GOOD),
  html_not_json: one('<!doctype html>\n<title>Page not found</title>\n', GOOD),
  xml_not_json: one('<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>\n', GOOD),
  syntax: one(GOOD.replace('"site"\n', '"site",\n'), GOOD),
  too_deep: {
    words:
      'More than 32 lists and objects stand inside each other. No member of the format needs more than 6.',
  },
  too_many_values: {
    words: 'The file has more than 1,000,000 values. Leave out what nobody reads, or divide it by publisher.',
  },
  too_many_keys: { words: 'One object has more than 10,000 members. Write a list instead.' },
  string_too_long: { words: 'One text has more than 65,536 characters. Shorten it.' },
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
  too_costly: { words: 'The file took more than 30 seconds or its share of memory. Make it smaller.' },
  too_many_findings: { words: 'Only 200 findings of a file are listed. Repair those and check again.' },
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
      'The file names more than 500 agents. Ask the operator of the registry to raise the bound for your domain.',
  },
  too_many_entries: {
    words: 'More than 5,000 entries speak of one publisher. Join them, or ask the operator for more.',
  },
  too_many_properties: {
    words:
      'The file lists more than 20,000 properties. Divide it by publisher, or ask the operator for more.',
  },
  too_many_tags: {
    words: 'The properties have more than 100,000 tags together. Leave out those that no entry names.',
  },
  too_many_domains: {
    words: 'The file names more than 200,000 domains. Divide it, or ask the operator for more.',
  },
  too_many_references: {
    words:
      'The file leads to more than 10,000 domains, and the others are not visited because of it. Ask the operator for more.',
  },
  label_too_long: one(adagents({ property: { tags: ['news', 'x'.repeat(101)] } })),
  too_many_labels: {
    words: 'An agent of the simple form claims more than 50 tasks. Name those that matter most.',
  },
  last_updated_older: {
    words:
      'A copy of an older file was published: its `last_updated` lies before that of the last one. Publish the newest file.',
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
      'The file that speaks for your domain names a `property_id` and lists no property with it. Let whoever keeps that file correct it.',
  },
  too_many_placements: {
    words:
      'The tags of `placement_tags` are those of more than 20,000 placements of the file. Name the placements themselves.',
  },
  pointer_orphaned: {
    words:
      'The file points to that of a network, which names other domains only. Let the network add a selector for yours.',
  },
  manager_orphaned: {
    words:
      'The `MANAGERDOMAIN` of your ads.txt has a file that names other domains only. Let the manager add yours.',
  },
  legacy_entry_managed: {
    words:
      'The file of your manager has an entry `{url, authorized_for}`. It is for the inventory of the manager itself and not for yours.',
  },
  publisher_revoked: {
    words: 'The network ended with you: its file has your domain under `revoked_publisher_domains`.',
  },
  entry_ended: one(
    adagents({ entry: { effective_until: '2026-01-31T09:00:00Z' } }),
    adagents({ entry: { effective_until: '2099-01-31T09:00:00Z' } }),
  ),
  nobody_in_force: {
    words: 'The entry for your domain had an `effective_until` that has passed. Let the network renew it.',
  },
};
