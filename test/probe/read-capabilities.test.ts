import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFindings } from '../../src/calling/session.ts';
import { type AgentAnswers, readCapabilities } from '../../src/probe/read-capabilities.ts';

const tools = (...names: string[]) => names.map((name) => ({ name, description: '' }));

function read(heard: Partial<AgentAnswers>) {
  const findings = createFindings();
  return { exposed: readCapabilities({ tools: [], ...heard }, findings), findings: findings.list() };
}

describe('reading capabilities', () => {
  const SEARCH = 'get_products';
  const BUY = 'create_media_buy';
  it.each<[string, string[], Record<string, unknown>, object, object]>([
    [
      'products alone',
      [SEARCH],
      {},
      { can_search_inventory: true, can_get_availability: true, can_get_pricing: true },
      {
        can_search_inventory: { basis: 'tool', from: SEARCH },
        can_get_availability: { basis: 'implied', from: SEARCH },
        can_get_pricing: { basis: 'implied', from: SEARCH },
      },
    ],
    [
      'buys alone',
      [BUY],
      {},
      { can_create_order: true, can_reserve_inventory: true },
      {
        can_create_order: { basis: 'tool', from: BUY },
        can_reserve_inventory: { basis: 'implied', from: BUY },
      },
    ],
    [
      'guaranteed buys',
      [BUY],
      { specialisms: ['sales-non-guaranteed', 'sales-guaranteed'] },
      { can_create_order: true, can_reserve_inventory: true },
      {
        can_create_order: { basis: 'tool', from: BUY },
        can_reserve_inventory: { basis: 'declared', from: 'sales-guaranteed' },
      },
    ],
    [
      'buys of an auction',
      [BUY],
      { specialisms: ['sales-non-guaranteed'] },
      { can_create_order: true },
      {
        can_create_order: { basis: 'tool', from: BUY },
        can_reserve_inventory: { basis: 'declared', from: 'sales-non-guaranteed' },
      },
    ],
    [
      'a list of properties',
      ['list_authorized_properties'],
      { specialisms: ['sales-guaranteed'] },
      { can_list_properties: true },
      { can_list_properties: { basis: 'tool', from: 'list_authorized_properties' } },
    ],
    [
      'a portfolio',
      [BUY],
      {
        media_buy: { portfolio: { publisher_domains: ['news.example'] } },
        specialisms: ['sales-non-guaranteed'],
      },
      { can_create_order: true, can_list_properties: true },
      {
        can_create_order: { basis: 'tool', from: BUY },
        can_reserve_inventory: { basis: 'declared', from: 'sales-non-guaranteed' },
        can_list_properties: { basis: 'declared', from: 'media_buy.portfolio.publisher_domains' },
      },
    ],
    [
      'an empty portfolio',
      [SEARCH],
      { media_buy: { portfolio: { publisher_domains: [] } } },
      { can_search_inventory: true, can_get_availability: true, can_get_pricing: true },
      {
        can_search_inventory: { basis: 'tool', from: SEARCH },
        can_get_availability: { basis: 'implied', from: SEARCH },
        can_get_pricing: { basis: 'implied', from: SEARCH },
      },
    ],
  ])(
    'says of each standard operation whether it is there and how that is known: %s',
    (_, names, answer, can, bases) => {
      const { capabilities } = read({ tools: tools(...names), answer }).exposed;
      const operations = [
        ...['can_search_inventory', 'can_get_availability', 'can_reserve_inventory'],
        ...['can_get_pricing', 'can_create_order', 'can_list_properties'],
      ];
      const all = (value: unknown) => Object.fromEntries(operations.map((name) => [name, value]));
      expect(capabilities.standard_operations).toEqual({ ...all(false), ...can });
      expect(capabilities.standard_operations_basis).toEqual({ ...all({ basis: 'none' }), ...bases });
    },
  );

  // by the field: its clients call a tool by the exact name, with underscores
  it.each<[string, string[], boolean, string[]]>([
    ['the exact name', ['get_products'], true, []],
    ['hyphens', ['get_weather', 'get-products'], false, ['/tools/1/name tool_name_hyphens']],
    ['hyphens beside the exact name', ['get-products', 'get_products'], true, []],
    ['capitals', ['Get_Products'], false, []],
    ['hyphens in a name of its own', ['get-weather'], false, []],
  ])('knows a task by its exact name: %s', (_name, names, sells, found) => {
    const { exposed, findings } = read({ tools: tools(...names) });
    expect(exposed.capabilities.standard_operations !== undefined).toBe(sells);
    expect(exposed.inferredType).toBe(sells ? 'sales' : 'unknown');
    expect(findings.map(({ code, pointer }) => `${pointer} ${code}`)).toEqual(found);
  });

  it('leaves out the groups that the agent has nothing of', () => {
    expect(read({ tools: tools('get_brand_identity') }).exposed.capabilities).toEqual({
      tools_count: 1,
      tools: [{ name: 'get_brand_identity', description: '' }],
    });
  });

  it('reads signals from section and tools', () => {
    const answer = { signals: { audience_types: ['suppression', 7, 'suppression', 'targeting'] } };
    const { capabilities } = read({ tools: tools('get_signals', 'sync_audiences'), answer }).exposed;
    expect(capabilities.signals_capabilities).toEqual({
      audience_types: ['suppression', 'targeting'],
      can_match: true,
      can_activate: false,
      can_get_signals: true,
    });
  });

  it.each([
    ['ids', ['display', 'video']],
    ['format ids', [{ agent_url: 'https://x.example', id: 'display' }, { id: 'video' }]],
    ['whole formats', [{ format_id: { id: 'display' } }, { format_id: 'video', name: 'Video' }]],
  ])('reads creative formats that are %s', (_name, supported_formats) => {
    const { capabilities } = read({ answer: { creative: { supported_formats } } }).exposed;
    expect(capabilities.creative_capabilities).toMatchObject({
      formats_supported: ['display', 'video'],
      can_generate: false,
    });
  });

  it('claims only domains, in normal form and once', () => {
    const publisher_domains = [
      'News.example',
      'news.example.',
      'https://x.example',
      '10.0.0.1',
      null,
      'bücher.example',
    ];
    const { exposed, findings } = read({ answer: { media_buy: { portfolio: { publisher_domains } } } });
    expect(exposed.claimedPublisherDomains).toEqual(['news.example', 'xn--bcher-kva.example']);
    expect(findings.map((finding) => finding.pointer)).toEqual(
      [2, 3, 4].map((at) => `/media_buy/portfolio/publisher_domains/${at}`),
    );
  });

  it('claims at most 10,000 domains', () => {
    const publisher_domains = Array.from({ length: 10_001 }, (_, index) => `p${index}.example`);
    const { exposed, findings } = read({ answer: { media_buy: { portfolio: { publisher_domains } } } });
    expect(exposed.claimedPublisherDomains).toHaveLength(10_000);
    expect(findings).toMatchObject([{ code: 'too_many_publisher_domains' }]);
  });

  it.each([
    [
      'proto',
      { proto: { supported_versions: ['3.0', '3.1-beta'], major_versions: [3] } },
      ['3.0', '3.1-beta'],
    ],
    ['adcp', { adcp: { major_versions: [2, 3] } }, ['2', '3']],
    [
      'adcp',
      { adcp: { supported_versions: ['3.1-beta'] }, adcp_version: '3.0.0-rc.2' },
      ['3.1-beta', '3.0.0-rc.2'],
    ],
    ['proto', { proto_version: '3.1-beta' }, ['3.1-beta']],
  ])('reads versions of the %s vocabulary', (_name, answer, versions) => {
    const { exposed, findings } = read({ answer });
    expect(exposed.supportedVersions).toEqual(versions);
    expect(exposed.capabilities.supported_versions).toEqual(versions);
    expect(findings).toEqual([]);
  });

  it('has no supported_versions if no version is declared', () => {
    const { exposed } = read({ answer: { proto: { supported_versions: ['latest'] } } });
    expect(exposed.supportedVersions).toEqual([]);
    expect(exposed.capabilities).not.toHaveProperty('supported_versions');
  });

  it('takes a brand.json url that is https, and no other', () => {
    const url = 'https://brand.example/.well-known/brand.json';
    expect(read({ answer: { identity: { brand_json_url: url } } }).exposed.brandJsonUrl).toBe(url);
    const bad = read({ answer: { identity: { brand_json_url: 'file:///etc/passwd' } } });
    expect(bad.exposed.brandJsonUrl).toBeUndefined();
    expect(bad.findings).toMatchObject([{ code: 'brand_json_url_invalid' }]);
  });

  it('never throws, whatever the answer holds', () => {
    const sections = [
      'proto',
      'adcp',
      'media_buy',
      'signals',
      'creative',
      'measurement',
      'identity',
      'supported_protocols',
    ];
    const answer = fc.dictionary(fc.constantFrom(...sections, '__proto__'), fc.anything());
    fc.assert(
      fc.property(answer, (value) => void read({ answer: value, formats: value })),
      { numRuns: 200 },
    );
  });
});
