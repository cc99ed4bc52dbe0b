import { describe, expect, it, test } from 'vitest';
import { declarationFaults } from '../../../src/compliance/checks/declaration.ts';
import { check, says } from '../support/check.ts';

const missing = (capabilities: object, tools: readonly string[], vocabulary: 'adcp' | 'proto' = 'adcp') =>
  declarationFaults({ ...capabilities }, new Set(tools), vocabulary).map((fault) => fault.missing.join('|'));

describe('a declaration is kept', () => {
  test.each<[string, object, readonly string[]]>([
    [
      'with the tasks of its protocol',
      { supported_protocols: ['signals'] },
      ['get_signals', 'activate_signal'],
    ],
    [
      'with those of a specialism instead',
      { supported_protocols: ['governance'], specialisms: ['property-lists'] },
      ['create_property_list'],
    ],
    ['with tasks in kebab case', { supported_protocols: ['brand'] }, ['get-brand-identity']],
    ['for a protocol that is not known', { supported_protocols: ['weather'] }, []],
    ['when an ability is absent', { creative: { supports_generation: false } }, []],
  ])('%s', (_name, capabilities, tools) => {
    expect(missing(capabilities, tools)).toEqual([]);
  });
});

describe('a declaration is not kept', () => {
  test.each<[string, object, readonly string[], readonly string[]]>([
    [
      'without any task of a protocol',
      { supported_protocols: ['media_buy'] },
      [],
      ['get_products', 'create_media_buy', 'get_media_buy_delivery'],
    ],
    [
      'without one of them',
      { supported_protocols: ['media-buy'] },
      ['get_products', 'get_media_buy_delivery'],
      ['create_media_buy'],
    ],
    [
      'without the tasks of a specialism',
      { specialisms: ['sales-social'] },
      ['sync_creatives', 'sync_catalogs'],
      ['sync_audiences', 'sync_event_sources'],
    ],
    [
      'without the tasks of an ability',
      { media_buy: { conversion_tracking: {} }, creative: { has_creative_library: true } },
      ['log_event'],
      ['sync_event_sources', 'list_creatives'],
    ],
  ])('%s', (_name, capabilities, tools, expected) => {
    expect(missing(capabilities, tools)).toEqual(expected);
  });

  it('by an agent of ours either', () => {
    expect(missing({ supported_protocols: ['brand'] }, [], 'proto')).toEqual([
      'get_brand_identity|get_rights',
    ]);
    expect(missing({ supported_protocols: ['brand'] }, ['get_rights'], 'proto')).toEqual([]);
  });
});

describe('the check', () => {
  const declared = says({ supported_protocols: ['creative'] });

  it('names the missing tool and the declaration', () => {
    expect(check({ check: 'declared_tasks_offered' }, declared, { tools: [] })).toMatchObject({
      result: 'fail',
      pointer: '/supported_protocols/0',
      message:
        'missing tool: the protocol creative is declared, but the tool list lacks list_creative_formats',
    });
  });

  it('is not applicable to an agent card, which may leave out tasks', () => {
    expect(check({ check: 'declared_tasks_offered' }, declared).result).toBe('not_applicable');
  });

  it('does not throw on a hostile declaration', () => {
    const hostile = says({ supported_protocols: ['__proto__', 7, null], specialisms: 'all', creative: [] });
    expect(check({ check: 'declared_tasks_offered' }, hostile, { tools: [] }).result).toBe('pass');
  });
});
