import { describe, expect, it } from 'vitest';
import type { AgentType } from '../../src/domain/agent-type.ts';
import { contradiction, inferType } from '../../src/domain/infer-type.ts';

describe('the inferred type', () => {
  it.each<[string, string[], string[], AgentType]>([
    ['products', ['get_products'], [], 'sales'],
    ['media buys', ['create_media_buy'], [], 'sales'],
    ['properties', ['list_authorized_properties'], [], 'sales'],
    ['formats beside products', ['list_creative_formats', 'get_products'], ['creative'], 'sales'],
    ['formats', ['list_creative_formats'], [], 'creative'],
    ['building creatives', ['build_creative'], [], 'creative'],
    ['signals', ['activate_signal'], [], 'signals'],
    ['governance', ['sync_plans'], [], 'governance'],
    ['brand identity', ['get_brand_identity'], [], 'brand'],
    ['rights', ['acquire_rights'], [], 'rights'],
    ['a measurement section', ['get_proto_capabilities'], ['measurement'], 'measurement'],
    ['a tool against a section', ['get_signals'], ['measurement'], 'signals'],
    ['a section alone', [], ['media_buy'], 'sales'],
    ['strange tools', ['get_weather', 'constructor'], ['toString'], 'unknown'],
    ['a tool of another spelling, which no client calls', ['get-products', 'GET_PRODUCTS'], [], 'unknown'],
    ['nothing', [], [], 'unknown'],
  ])('follows from %s', (_name, tools, sections, expected) => {
    expect(inferType(tools, sections)).toBe(expected);
  });

  it.each<[AgentType, string[], string[], string | undefined]>([
    ['signals', ['get_products'], [], 'type_contradicted'],
    ['buying', ['get_products'], [], 'type_contradicted'],
    ['creative', ['get_products', 'build_creative'], [], undefined],
    ['buying', [], [], undefined],
    ['unknown', ['get_products'], [], undefined],
    ['measurement', ['get_proto_capabilities'], ['measurement'], undefined],
  ])('is set against a declared %s with %s', (declared, tools, sections, code) => {
    expect(contradiction(declared, tools, sections)?.code).toBe(code);
  });
});
