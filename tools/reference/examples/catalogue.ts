import { adagents, type Example } from './example.ts';

type Lists = Readonly<Record<string, unknown>>;

const SIGNAL = {
  id: 'auto',
  name: 'Car buyers',
  value_type: 'numeric',
  range: { min: 0, max: 100 },
  tags: ['cars'],
};
const PLACEMENT = { placement_id: 'home', name: 'Home page', property_ids: ['site'], tags: ['top'] };
const FORMAT = { format_option_id: 'banner', format_kind: 'image', params: {} };
const PINNED = {
  runtime: 'browser-esm',
  package: '@formats/banner',
  version: '1.2.0',
  export: 'render',
  integrity: `sha256-${'a'.repeat(43)}=`,
  provenance: {
    source_repository: 'https://github.com/formats/banner',
    workflow_path: '.github/workflows/release.yml',
  },
};
const POINT = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const KEY = { kid: '2026-01', kty: 'OKP', crv: 'Ed25519', x: POINT };
const SEALING = { kid: 'k1', kty: 'OKP', crv: 'X25519', use: 'enc', x: POINT };
const OF_REGISTRY = { catalog_etag: '2026-01', catalog_role: 'community_format_registry' };
/** Where a file may have renderers is known by its domain, which an example does not have. */
const ELSEWHERE = ['renderer_misplaced'];

const lists = (before: Lists, after: Lists, others?: readonly string[]): Example => ({
  before: adagents({ top: before }),
  after: adagents({ top: after }),
  ...(others && { with: others }),
});
const signal = (before: Lists, after: Lists = {}): Example =>
  lists({ signals: [{ ...SIGNAL, ...before }] }, { signals: [{ ...SIGNAL, ...after }] });
const placement = (before: Lists, after: Lists = {}): Example =>
  lists(
    { formats: [FORMAT], placements: [{ ...PLACEMENT, ...before }] },
    { formats: [FORMAT], placements: [{ ...PLACEMENT, ...after }] },
  );
const format = (before: Lists, after: Lists = {}): Example =>
  lists({ formats: [{ ...FORMAT, ...before }] }, { formats: [{ ...FORMAT, ...after }] });
const rendered = (top: Lists, before: Lists): Example =>
  lists({ ...top, formats: [{ ...FORMAT, ...before }] }, { ...top, formats: [FORMAT] }, ELSEWHERE);

const [entry = {}] = (adagents() as { readonly authorized_agents: readonly object[] }).authorized_agents;
const selecting = (id: string): object =>
  adagents({
    entry: {
      authorization_type: 'publisher_properties',
      property_ids: undefined,
      publisher_properties: [
        { publisher_domain: 'news.example', selection_type: 'by_id', property_ids: [id] },
      ],
    },
    property: { publisher_domain: 'news.example' },
  });

/** Of the catalogue, and of what entries name there. */
export const CATALOGUE_EXAMPLES: Readonly<Record<string, Example>> = {
  schema_missing: lists({ $schema: undefined }, {}),
  last_updated_missing: lists({ last_updated: undefined }, {}),
  catalog_etag_invalid: lists(
    { catalog_etag: 7, placements: [PLACEMENT] },
    { catalog_etag: '7', placements: [PLACEMENT] },
  ),
  entry_twice: lists({ authorized_agents: [entry, { ...entry, authorized_for: 'video' }] }, {}),
  selector_unmatched: { before: selecting('sit'), after: selecting('site') },
  publishers_unlinked: {
    words:
      'The file of `manager.example` lists `news.example`, whose own site has no reference to it and no ads.txt. `validate` checks at most 20 publishers.',
  },
  term_letters: {
    before: adagents({ entry: { property_ids: ['Main-Site'] }, property: { property_id: 'Main-Site' } }),
    after: adagents({ entry: { property_ids: ['main_site'] }, property: { property_id: 'main_site' } }),
  },
  domain_spelling: {
    before: adagents({ property: { publisher_domain: 'News.Example.' } }),
    after: adagents({ property: { publisher_domain: 'news.example' } }),
  },
  channel_unknown: {
    before: adagents({ property: { supported_channels: ['banner'] } }),
    after: adagents({ property: { supported_channels: ['display'] } }),
  },
  revocation_incomplete: lists(
    { revoked_publisher_domains: [{ publisher_domain: 'old.example', reason: 'ended' }] },
    { revoked_publisher_domains: [{ publisher_domain: 'old.example', revoked_at: '2026-01-31T09:00:00Z' }] },
  ),
  key_member_invalid: {
    before: adagents({ entry: { signing_keys: [{ ...KEY, revoked_at: '2026-01-31' }] } }),
    after: adagents({ entry: { signing_keys: [{ ...KEY, revoked_at: '2026-01-31T09:00:00Z' }] } }),
  },
  encryption_key_invalid: {
    before: adagents({ entry: { encryption_keys: [{ ...SEALING, use: 'sig' }] } }),
    after: adagents({ entry: { encryption_keys: [SEALING] } }),
  },
  feature_incomplete: lists(
    { property_features: [{ url: 'https://carbon.example/mcp', features: ['carbon_score'] }] },
    {
      property_features: [{ url: 'https://carbon.example/mcp', name: 'Carbon', features: ['carbon_score'] }],
    },
  ),
  contact_incomplete: lists(
    { contact: { email: 'ads@news.example' } },
    { contact: { name: 'News', email: 'ads@news.example' } },
  ),
  name_unlisted: {
    before: adagents({ entry: { placement_ids: ['hom'] }, top: { placements: [PLACEMENT] } }),
    after: adagents({ entry: { placement_ids: ['home'] }, top: { placements: [PLACEMENT] } }),
  },
  catalogue_id_missing: signal({ id: undefined }),
  catalogue_id_invalid: signal({ id: 'auto intender' }),
  catalogue_id_twice: lists(
    { signals: [SIGNAL, { ...SIGNAL, name: 'Car owners' }] },
    { signals: [SIGNAL, { ...SIGNAL, id: 'owner', name: 'Car owners' }] },
  ),
  catalogue_name_missing: placement({ name: undefined }),
  catalogue_tag_invalid: signal({ tags: ['Cars'] }),
  tag_undescribed: lists(
    { tags: { news: 'News' } },
    { tags: { news: { name: 'News', description: 'Pages of the news desk' } } },
  ),
  signal_value_type: signal({ value_type: 'number' }),
  signal_range: signal({ range: { min: 100, max: 0 } }),
  signal_values: signal(
    { value_type: 'categorical', range: undefined, allowed_values: [] },
    { value_type: 'categorical', range: undefined, allowed_values: ['new', 'used'] },
  ),
  signal_member_idle: signal({ value_type: 'binary' }),
  signal_needs: signal(
    { methodology: 'modeled' },
    { methodology: 'modeled', modeling: { description: 'look-alikes of readers' } },
  ),
  signal_category: signal({ restricted_attributes: ['health'] }, { restricted_attributes: ['health_data'] }),
  placement_scope_missing: placement({ property_ids: undefined }),
  placement_private: placement({ visibility: 'private' }),
  format_incomplete: format({ params: undefined }),
  format_kind_unknown: format({ format_kind: 'banner' }),
  format_members: format({ format_shape: 'carousel' }),
  format_option_unknown: placement(
    { format_options: [{ format_option_id: 'baner' }] },
    { format_options: [{ format_option_id: 'banner' }] },
  ),
  renderer_misplaced: rendered(OF_REGISTRY, { reference_renderer: PINNED }),
  renderer_metadata: rendered({}, { reference_renderer: PINNED }),
  renderer_invalid: rendered(OF_REGISTRY, { reference_renderer: { ...PINNED, version: 'latest' } }),
  renderer_revision: rendered(OF_REGISTRY, { format_revision: '1.0.0', reference_renderer: PINNED }),
};
