import { adagents, type Example, one } from './example.ts';

const entry = (before: object, after: object = {}, others?: readonly string[]): Example =>
  one(adagents({ entry: before }), adagents({ entry: after }), others);
const property = (before: object, after: object = {}, others?: readonly string[]): Example =>
  one(adagents({ property: before }), adagents({ property: after }), others);
const selector = (more: object): object => ({
  authorization_type: 'publisher_properties',
  property_ids: undefined,
  publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all', ...more }],
});
const KEY = { kid: '2026-01', kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
const REVOKED = { publisher_domain: 'old.example', revoked_at: '2026-01-31T09:00:00Z' };
const LIMITED = ['limit_unreadable'];

export const ADAGENTS_EXAMPLES: Readonly<Record<string, Example>> = {
  both_agent_lists: one(adagents({ top: { agents: [{ url: 'https://sales.example/mcp' }] } })),
  protocol_unknown: one(
    { agents: [{ url: 'https://sales.example/mcp', protocol: 'mpc' }] },
    { agents: [{ url: 'https://sales.example/mcp', protocol: 'mcp' }] },
  ),
  publisher_other: {
    words:
      'The file of news.example contains `"publisher": {"domain": "media.example"}`. Set `domain` to news.example, or publish the file at media.example and refer to it from news.example with `authoritative_location`.',
  },
  publisher_unreadable: one(
    {
      publisher: { name: 'News', domain: 'https://news.example/' },
      agents: [{ url: 'https://sales.example/mcp', protocol: 'mcp' }],
    },
    {
      publisher: { name: 'News', domain: 'news.example' },
      agents: [{ url: 'https://sales.example/mcp', protocol: 'mcp' }],
    },
    ['domain_invalid'],
  ),
  superseded: one(adagents({ top: { superseded_by: 'https://news.example/new/adagents.json' } })),
  nobody_authorised: one(adagents({ top: { authorized_agents: [], properties: undefined } })),
  agent_list_missing: one(
    adagents({ top: { authorized_agents: undefined } }),
    adagents({ top: { authorized_agents: [] } }),
  ),
  legacy_entry: entry({ authorization_type: undefined, property_ids: undefined }),
  legacy_properties: one({
    properties: [
      {
        domain: 'news.example',
        agents: [{ agent_url: 'https://sales.example/mcp', relationship: 'direct' }],
      },
    ],
  }),
  legacy_entry_beside: one(
    adagents({
      top: {
        authorized_agents: [
          { url: 'https://sales.example/mcp', authorized_for: 'all' },
          ...(adagents() as { authorized_agents: object[] }).authorized_agents,
        ],
      },
    }),
    adagents(),
    ['legacy_entry'],
  ),
  authorization_type_missing: entry({ authorization_type: undefined }),
  companion_extra: entry({ property_tags: ['news'] }),
  companion_unread: entry({ signal_ids: ['auto'] }),
  member_misspelt: entry({ country: ['DE'] }, { countries: ['DE'] }),
  limit_unknown: entry({ excluded_countries: ['FR'] }, { countries: ['DE', 'AT'] }),
  revocations_misnamed: one(
    adagents({ top: { revoked_publishers: [REVOKED] } }),
    adagents({ top: { revoked_publisher_domains: [REVOKED] } }),
  ),
  member_misplaced: one(
    { agents: [{ url: 'https://sales.example/mcp', protocol: 'mcp', countries: ['DE'] }] },
    adagents({ entry: { countries: ['DE'] } }),
  ),
  name_unclean: entry({ property_ids: [' site'] }, {}, ['companion_missing']),
  list_empty: entry({ countries: [] }, { countries: ['DE'] }, LIMITED),
  authorized_for_missing: entry({ authorized_for: undefined }),
  authorized_for_length: entry({ authorized_for: '' }),
  authorization_type_unknown: entry({ authorization_type: 'properties' }),
  companion_missing: entry({ property_ids: undefined }),
  selector_domains: entry(selector({ publisher_domain: undefined }), selector({}), ['companion_missing']),
  selector_by_id_domains: entry(
    selector({
      publisher_domain: undefined,
      publisher_domains: ['news.example', 'sport.example'],
      selection_type: 'by_id',
      property_ids: ['site'],
    }),
    selector({ publisher_domains: undefined, selection_type: 'by_id', property_ids: ['site'] }),
    ['companion_missing'],
  ),
  selection_type_unknown: entry(selector({ selection_type: 'every' }), selector({}), ['companion_missing']),
  delegation_type_unknown: entry({ delegation_type: 'reseller' }, { delegation_type: 'delegated' }, LIMITED),
  country_invalid: entry({ countries: ['DE', 'UK'] }, { countries: ['DE', 'GB'] }),
  limit_unreadable: entry({ countries: ['de'] }, { countries: ['DE'] }, ['country_invalid']),
  window_empty: entry(
    { effective_from: '2026-12-31T00:00:00Z', effective_until: '2026-01-01T00:00:00Z' },
    { effective_from: '2026-01-01T00:00:00Z', effective_until: '2026-12-31T00:00:00Z' },
    LIMITED,
  ),
  property_type_missing: property({ property_type: undefined }, {}, ['property_unknown']),
  property_type_unknown: property({ property_type: 'Website' }),
  property_name_missing: property({ name: undefined }),
  identifiers_missing: property({ identifiers: [] }, {}, ['property_unknown', 'list_empty']),
  identifier_unreadable: property({
    identifiers: [{ type: 'domain', value: 'news.example' }, { value: 'app.example' }],
  }),
  identifier_type_unknown: property({ identifiers: [{ type: 'website', value: 'news.example' }] }, {}, [
    'property_unknown',
  ]),
  identifier_domain_invalid: property({ identifiers: [{ type: 'domain', value: 'https://news.example/' }] }),
  duplicate_property_id: one(
    adagents({ top: { properties: [site('News', 'news.example'), site('News blog', 'news.example')] } }),
    adagents({
      top: {
        properties: [
          site('News', 'news.example'),
          { ...site('News blog', 'news.example'), property_id: 'blog' },
        ],
      },
    }),
  ),
  property_of_nobody: one(
    adagents({ top: { properties: [site('News', 'news.example'), site('Sport', 'sport.example')] } }),
    adagents({
      top: {
        properties: [site('News', 'news.example'), site('Sport', 'sport.example')].map((property, index) => ({
          ...property,
          publisher_domain: ['news.example', 'sport.example'][index],
        })),
      },
    }),
  ),
  property_unknown: entry({ property_ids: ['site', 'app'] }),
  tag_unmatched: entry(
    { authorization_type: 'property_tags', property_ids: undefined, property_tags: ['sport'] },
    { authorization_type: 'property_tags', property_ids: undefined, property_tags: ['news'] },
  ),
  key_invalid: entry({ signing_keys: [{ kty: 'OKP' }] }, { signing_keys: [KEY] }, LIMITED),
  too_many_signing_keys: { words: 'An entry has 51 keys in `signing_keys`. The first 50 are used.' },
  private_key: entry(
    { signing_keys: [{ ...KEY, d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A' }] },
    { signing_keys: [KEY] },
  ),
};

function site(name: string, domain: string): object {
  return {
    property_id: 'site',
    property_type: 'website',
    name,
    identifiers: [{ type: 'domain', value: domain }],
  };
}
