import { describe, expect, it } from 'vitest';
import { checkBytes, type FileCheck } from '../../../src/discovery/check-file.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const REGISTRY = 'creative.adcontextprotocol.org';

function check(file: object, domain = 'news.example'): FileCheck {
  return checkBytes(Buffer.from(JSON.stringify(file)), { kind: 'adagents', domain, now: NOW });
}

const PINNED = {
  runtime: 'browser-esm',
  package: '@formats/banner',
  version: '1.2.0-beta.1',
  export: 'render',
  integrity: `sha512-${'A'.repeat(86)}==`,
  provenance: {
    source_repository: 'https://github.com/formats/banner',
    workflow_path: '.github/workflows/release.yml',
  },
};
const RENDERED = { format_kind: 'image', params: {}, reference_renderer: PINNED };
/** All that a catalogue may have, put right. */
const GOOD = {
  $schema: 'https://schemas.example/3.1/adagents.json',
  last_updated: '2026-05-01T00:00:00Z',
  catalog_etag: 'build-17',
  authorized_agents: [
    {
      url: 'https://sales.example/mcp',
      authorized_for: 'display',
      authorization_type: 'property_tags',
      property_tags: ['news'],
      placement_ids: ['home'],
      placement_tags: ['top'],
    },
    {
      url: 'https://signals.example/mcp',
      authorized_for: 'signals',
      authorization_type: 'signal_ids',
      signal_ids: ['auto'],
    },
  ],
  properties: [
    {
      property_id: 'site',
      property_type: 'website',
      name: 'News',
      identifiers: [{ type: 'domain', value: 'news.example' }],
      tags: ['news'],
    },
  ],
  tags: { news: { name: 'News', description: 'Pages of the news desk' } },
  collections: [{ collection_id: 'daily', name: 'Daily' }],
  placements: [
    {
      placement_id: 'home',
      name: 'Home page',
      property_ids: ['site'],
      property_tags: ['news'],
      collection_ids: ['daily'],
      tags: ['top'],
      format_options: [{ format_option_id: 'banner' }, { format_kind: 'html5', params: {} }],
    },
  ],
  formats: [
    { format_option_id: 'banner', format_kind: 'image', params: {}, applies_to_property_ids: ['site'] },
    {
      publisher_domain: 'other.example',
      format_option_id: 'banner',
      format_kind: 'custom',
      params: {},
      format_shape: 'cube',
      format_schema: { uri: 'https://other.example/cube.json' },
      canonical_formats_only: true,
    },
  ],
  signals: [
    { id: 'auto', name: 'Cars', value_type: 'categorical', allowed_values: ['new'], tags: ['car_buyers'] },
    { id: 'age', name: 'Age', value_type: 'numeric', range: { min: 18, max: 99, unit: 'years' } },
    { id: 'ill', name: 'Health', value_type: 'binary', restricted_attributes: ['health_data'] },
  ],
};

/** Replaces what stands at a pointer; undefined removes it. */
function withAt(pointer: string, value: unknown): object {
  const file = structuredClone(GOOD) as object;
  const steps = pointer.split('/').slice(1);
  const last = steps.pop() ?? '';
  const parent = steps.reduce<object>((at, step) => Reflect.get(at, step) as object, file);
  if (value === undefined) Reflect.deleteProperty(parent, last);
  else Reflect.set(parent, last, value);
  return file;
}

const FAULTS: readonly (readonly [pointer: string, value: unknown, code: string, place: string])[] = [
  ['/last_updated', '2026-05-01', 'date_without_time', '/last_updated'],
  ['/$schema', 7, 'schema_missing', ''],
  ['/properties/0/supported_channels', ['banner'], 'channel_unknown', '/properties/0/supported_channels/0'],
  ['/properties/0/supported_channels', 'display', 'wrong_type', '/properties/0/supported_channels'],
  ['/properties/0/publisher_domain', 'News.Example', 'domain_spelling', '/properties/0/publisher_domain'],
  ['/contact', {}, 'contact_incomplete', '/contact'],
  ['/contact', { name: 'N', email: 'n' }, 'contact_incomplete', '/contact/email'],
  ['/property_features', [{ url: 'x' }], 'feature_incomplete', '/property_features/0'],
  [
    '/revoked_publisher_domains',
    [{ publisher_domain: 'old.example' }],
    'revocation_incomplete',
    '/revoked_publisher_domains/0',
  ],
  [
    '/revoked_publisher_domains',
    [{ publisher_domain: 'old.example', revoked_at: '2026-01-01T00:00:00Z', reason: 'ended' }],
    'revocation_incomplete',
    '/revoked_publisher_domains/0/reason',
  ],
  [
    '/authorized_agents/0/signing_keys',
    [{ kid: 'k', kty: 'OKP', x: 7 }],
    'key_member_invalid',
    '/authorized_agents/0/signing_keys/0/x',
  ],
  [
    '/authorized_agents/0/encryption_keys',
    [{ kid: 'too-long-kid', kty: 'OKP', crv: 'X25519', use: 'enc', x: 'AA' }],
    'encryption_key_invalid',
    '/authorized_agents/0/encryption_keys/0',
  ],
  ['/signals/0/id', undefined, 'catalogue_id_missing', '/signals/0'],
  ['/signals/0/id', 'a b', 'catalogue_id_invalid', '/signals/0/id'],
  ['/signals/0/id', 7, 'catalogue_id_invalid', '/signals/0/id'],
  ['/signals/1/id', 'auto', 'catalogue_id_twice', '/signals/1/id'],
  ['/signals/0/name', ' ', 'catalogue_name_missing', '/signals/0'],
  ['/signals/0/name', 'x'.repeat(256), 'catalogue_name_missing', '/signals/0'],
  ['/signals/0/value_type', 'text', 'signal_value_type', '/signals/0/value_type'],
  ['/signals/1/range', { min: 99, max: 18 }, 'signal_range', '/signals/1/range'],
  ['/signals/1/range', { min: '18', max: 99 }, 'signal_range', '/signals/1/range'],
  ['/signals/1/range', { min: 18, max: 99, step: 1 }, 'signal_range', '/signals/1/range'],
  ['/signals/1/range', null, 'signal_range', '/signals/1/range'],
  ['/signals/0/allowed_values', [1], 'signal_values', '/signals/0/allowed_values'],
  ['/signals/2/range', { min: 0, max: 1 }, 'signal_member_idle', '/signals/2/range'],
  ['/signals/2/restricted_attributes', [], 'signal_category', '/signals/2/restricted_attributes'],
  ['/signals/2/methodology', 'modeled', 'signal_needs', '/signals/2'],
  ['/signals/2/audience_expansion', true, 'signal_needs', '/signals/2'],
  ['/signals/2/audience_scope', 'single_domain', 'signal_needs', '/signals/2'],
  ['/signals/2/data_sources', ['web_usage', 'public_record_census'], 'signal_needs', '/signals/2'],
  ['/signals/2/demographic_predicate', { age: { min: 18 } }, 'signal_needs', '/signals/2'],
  ['/signals/0/taxonomy', { values: [{ id: '1' }] }, 'signal_needs', '/signals/0/taxonomy'],
  ['/signals/2/policy_categories', 'children', 'signal_category', '/signals/2/policy_categories'],
  ['/signals/0', 'auto', 'wrong_type', '/signals/0'],
  ['/signals', { auto: {} }, 'wrong_type', '/signals'],
  ['/placements/0/placement_id', '', 'catalogue_id_invalid', '/placements/0/placement_id'],
  ['/placements/0/property_ids', ['sit'], 'name_unlisted', '/placements/0/property_ids'],
  ['/placements/0/collection_ids', ['x'], 'name_unlisted', '/placements/0/collection_ids'],
  ['/placements/0/format_ids', [], 'placement_private', '/placements/0/format_ids'],
  ['/placements/0/format_options/0', {}, 'format_option_unknown', '/placements/0/format_options/0'],
  ['/placements/0/format_options', 'banner', 'wrong_type', '/placements/0/format_options'],
  ['/placements/0/tags', 'top', 'wrong_type', '/placements/0/tags'],
  ['/placements/0/tags', ['top', 5], 'wrong_type', '/placements/0/tags/1'],
  ['/placements/0/property_ids', 'site', 'wrong_type', '/placements/0/property_ids'],
  ['/placements/0/collection_ids', null, 'wrong_type', '/placements/0/collection_ids'],
  ['/placements/0/property_tags', [], 'list_empty', '/placements/0/property_tags'],
  ['/collections/0/genre', 'drama', 'wrong_type', '/collections/0/genre'],
  ['/formats/0/applies_to_property_ids', 'site', 'wrong_type', '/formats/0/applies_to_property_ids'],
  ['/signals/0/countries', 'DE', 'wrong_type', '/signals/0/countries'],
  ['/authorized_agents', undefined, 'agent_list_missing', ''],
  ['/formats/0/params', [], 'format_incomplete', '/formats/0'],
  ['/formats/0/applies_to_property_tags', ['x'], 'name_unlisted', '/formats/0/applies_to_property_tags'],
  ['/formats/1/canonical_formats_only', undefined, 'format_members', '/formats/1'],
  ['/formats/1/v1_format_ref', [{}], 'format_members', '/formats/1'],
  ['/formats/1/publisher_domain', undefined, 'catalogue_id_twice', '/formats/1/format_option_id'],
  ['/catalog_etag', '', 'catalog_etag_invalid', '/catalog_etag'],
  ['/tags/news', { name: 'News' }, 'tag_undescribed', '/tags/news'],
  ['/authorized_agents/0/placement_tags', ['bottom'], 'name_unlisted', '/authorized_agents/0/placement_tags'],
  ['/authorized_agents/1/signal_ids', ['x'], 'name_unlisted', '/authorized_agents/1/signal_ids'],
  ['/authorized_agents/2', GOOD.authorized_agents[0], 'entry_twice', '/authorized_agents/2'],
];

describe('the catalogue of an adagents.json', () => {
  it('has no findings when it is right', () => {
    expect(check(GOOD)).toMatchObject({ valid: true, findings: [] });
  });

  it.each(FAULTS)('is looked at: %s as %j is %s', (pointer, value, code, place) => {
    const found = check(withAt(pointer, value)).findings.map((finding) => [finding.code, finding.pointer]);
    expect(found).toContainEqual([code, place]);
  });

  it('says what a name may have meant', () => {
    const { findings } = check(withAt('/authorized_agents/0/placement_ids', ['hone']));
    expect(findings).toMatchObject([{ code: 'name_unlisted', didYouMean: 'home' }]);
  });

  it('never takes an authorisation away, but for the placement that cannot be found by its tag', () => {
    const said = (file: object): string =>
      JSON.stringify(check(file).summary, (name, value: unknown) =>
        name === 'taggedPlacements' || name === 'basis' ? undefined : value,
      );
    const catalogue = FAULTS.filter(([pointer]) => !pointer.startsWith('/authorized_agents'));
    for (const [pointer, value] of catalogue) expect(said(withAt(pointer, value))).toBe(said(GOOD));
  });

  it('calls entries the same whatever the order of their members, their words and the spelling of the host', () => {
    const { url, authorized_for: _, ...entry } = GOOD.authorized_agents[0] ?? {};
    const again = { ...entry, authorized_for: 'video', url: url?.replace('sales', 'SALES') };
    const narrower = { ...entry, authorized_for: 'video', url, countries: ['DE'] };
    const { findings } = check({ ...GOOD, authorized_agents: [...GOOD.authorized_agents, narrower, again] });
    expect(findings.map(({ code, pointer }) => [code, pointer])).toEqual([
      ['entry_twice', '/authorized_agents/3'],
    ]);
  });

  it('hints at $schema and last_updated in the public form only: the simple one has neither', () => {
    const { $schema: _, last_updated: __, ...bare } = GOOD;
    expect(check(bare).findings.map(({ code }) => code)).toEqual(['schema_missing', 'last_updated_missing']);
    const simple = { version: '1.0', agents: [{ url: 'https://sales.example/mcp', protocol: 'mcp' }] };
    expect(check(simple).findings).toEqual([]);
  });

  it('leaves a selector alone whose publisher has no property in the file', () => {
    const entry = (publisher: string) => ({
      url: 'https://sales.example/mcp',
      authorized_for: 'display',
      authorization_type: 'publisher_properties',
      publisher_properties: [{ publisher_domain: publisher, selection_type: 'by_tag', property_tags: ['x'] }],
    });
    const properties = GOOD.properties.map((one) => ({ ...one, publisher_domain: 'news.example' }));
    const codes = (publisher: string) =>
      check({ ...GOOD, properties, authorized_agents: [entry(publisher)] }).findings.map(({ code }) => code);
    expect([codes('news.example'), codes('other.example')]).toEqual([['selector_unmatched'], []]);
  });

  it('takes a property without publisher_domain for one of the domain that publishes the file', () => {
    const selecting = {
      url: 'https://sales.example/mcp',
      authorized_for: 'display',
      authorization_type: 'publisher_properties',
      publisher_properties: [
        { publisher_domain: 'news.example', selection_type: 'by_tag', property_tags: ['x'] },
      ],
    };
    const codes = (domain: string) =>
      check({ ...GOOD, authorized_agents: [selecting] }, domain).findings.map(({ code }) => code);
    expect([codes('news.example'), codes('other.example')]).toEqual([['selector_unmatched'], []]);
  });
});

describe('a reference_renderer', () => {
  const file = (format: object, top: object = { catalog_role: 'community_format_registry' }) => ({
    ...GOOD,
    ...top,
    formats: [...GOOD.formats, { ...RENDERED, ...format }],
  });
  const codes = (checked: FileCheck) => checked.findings.map(({ code }) => code);

  it('is right in the community registry of formats, and nowhere else', () => {
    expect(codes(check(file({}), REGISTRY))).toEqual([]);
    expect(codes(check(file({}), 'news.example'))).toEqual(['renderer_misplaced']);
    expect(codes(check(file({ reference_renderer: null }), 'news.example'))).toEqual([]);
  });

  it.each([
    [{}, {}, 'renderer_metadata'],
    [{ format_revision: '1.0.0' }, undefined, 'renderer_revision'],
    [{ reference_renderer: [] }, undefined, 'renderer_invalid'],
    [{ reference_renderer: { ...PINNED, version: '^1.2.0' } }, undefined, 'renderer_invalid'],
    [{ reference_renderer: { ...PINNED, integrity: 'sha256-short=' } }, undefined, 'renderer_invalid'],
    [{ reference_renderer: { ...PINNED, url: 'https://cdn.example' } }, undefined, 'renderer_invalid'],
    [
      {
        reference_renderer: {
          ...PINNED,
          provenance: { ...PINNED.provenance, source_repository: 'https://github.com.evil.example/x' },
        },
      },
      undefined,
      'renderer_invalid',
    ],
  ])('%j is refused as the field does', (format, top, code) => {
    expect(codes(check(file(format, top), REGISTRY))).toEqual([code]);
  });
});
