import { describe, expect, it } from 'vitest';
import { BRANDS } from '../../src/brands/houses.ts';
import { BRAND_TABLE } from '../../src/reference/brand/brand-table.ts';
import { lookOf } from '../../src/reference/brand/find-brand.ts';
import { brandPages } from '../../src/reference/brand/logos.ts';
import { ANONYMOUS } from '../../src/reference/handler.ts';
import { brandHandlers } from '../../src/reference/handlers.ts';
import { startAgent } from './support.ts';

const start = (url = 'https://brand-1.agents.example/mcp') =>
  startAgent({ type: 'brand', handlers: brandHandlers, spec: { url } });
const MARLOWE_AGENT = 'https://marlowe-house.example/identity';

describe('get_brand_identity', () => {
  it('tells names, colours, logos, tone and visual guidelines to anybody', async () => {
    const request = { brand: { domain: 'marlowe-tea.example' } };
    const identity = await start().call('get_brand_identity', request, ANONYMOUS);
    expect(identity).toMatchObject({
      brand_id: 'marlowe-tea',
      name: 'Marlowe Tea',
      names: [{ en: 'Marlowe Tea' }, { ja: 'マーロウ茶' }],
      house: { domain: 'marlowe-house.example', name: 'Marlowe & Daughters' },
      colors: { primary: '#7b2d26' },
      tone: { attributes: ['warm', 'patient', 'domestic'] },
      visual_guidelines: { typography: 'a serif with soft ends' },
      tagline: 'Sit down first',
    });
    expect(identity.logos).toHaveLength(3);
  });

  it.each([
    ['the domain of a house: the house itself', { brand: { domain: 'marlowe-house.example' } }, 'marlowe'],
    [
      'a brand on the domain of its house',
      { brand: { domain: 'marlowe-house.example', brand_id: 'marlowe-matches' } },
      'marlowe-matches',
    ],
    [
      'a brand beside the domain of its house',
      { brand: { domain: 'marlowe-house.example' }, brand_id: 'marlowe-tea' },
      'marlowe-tea',
    ],
    ['an id alone', { brand_id: 'kettle-cocoa' }, 'kettle-cocoa'],
    ['an old domain', { brand: { domain: 'old-copperkettle.example' } }, 'copperkettle'],
    ['a domain in capitals', { brand: { domain: 'Bramble-Jam.example' } }, 'bramble-jam'],
  ])('finds %s', async (_what, request, brand_id) => {
    expect(await start().call('get_brand_identity', request)).toMatchObject({ brand_id });
  });

  it('gives the fields that are asked for, and what it is', async () => {
    const request = { brand_id: 'gullwing', fields: ['colors', 'tagline'] };
    const identity = await start().call('get_brand_identity', request);
    expect(Object.keys(identity).sort()).toEqual(['brand_id', 'colors', 'name', 'tagline']);
  });

  it('of one house tells of that house, when no brand is named', async () => {
    const agent = start(MARLOWE_AGENT);
    expect(await agent.call('get_brand_identity', {})).toMatchObject({ brand_id: 'marlowe' });
    const stranger = await agent.refusal('get_brand_identity', { brand: { domain: 'bramble-jam.example' } });
    expect(stranger).toMatchObject({ code: 'REFERENCE_NOT_FOUND', pointer: '/brand' });
  });

  it.each([
    ['no brand', {}, 'INVALID_REQUEST', '/brand'],
    ['an unknown domain', { brand: { domain: 'moon.example' } }, 'REFERENCE_NOT_FOUND', '/brand'],
    ['an unknown id', { brand_id: '__proto__' }, 'REFERENCE_NOT_FOUND', '/brand_id'],
    [
      'a brand on the domain of another',
      { brand: { domain: 'bramble-jam.example', brand_id: 'marlowe-tea' } },
      'REFERENCE_NOT_FOUND',
      '/brand',
    ],
    [
      'two brands at once',
      { brand: { domain: 'marlowe-house.example', brand_id: 'marlowe-tea' }, brand_id: 'gullwing' },
      'VALIDATION_ERROR',
      '/brand_id',
    ],
    [
      'an unknown field',
      { brand_id: 'gullwing', fields: ['colors', 'smell'] },
      'VALIDATION_ERROR',
      '/fields/1',
    ],
  ])('refuses %s', async (_what, request, code, pointer) => {
    expect(await start().refusal('get_brand_identity', request)).toMatchObject({ code, pointer });
  });

  it('serves every logo that it names', async () => {
    const { agent, call } = start();
    const pages = brandPages(agent.spec);
    for (const { id } of BRAND_TABLE) {
      const { logos } = await call('get_brand_identity', { brand_id: id });
      for (const { url } of logos) expect(pages(new URL(url).pathname), url).toBeDefined();
    }
    expect(pages('/brands/moon/logo.svg')).toBeUndefined();
  });

  it('knows the houses that the files of the sandbox declare', () => {
    const houses = BRANDS.filter(({ variant }) => variant === 'house_portfolio').map(({ domain }) => domain);
    const known = new Set(BRAND_TABLE.flatMap(({ domains }) => domains));
    expect(houses.filter((domain) => !known.has(domain))).toEqual([]);
    const inline = BRANDS.flatMap((brand) => brand.inline ?? []);
    expect(inline.filter((id) => !BRAND_TABLE.some((brand) => brand.id === id))).toEqual([]);
  });
});

describe('the look of a brand', () => {
  it('is its own where it is known, and a plain one where not', () => {
    expect(lookOf({ domain: 'penny-bicycles.example' }).colors.primary).toBe('#2a9d8f');
    expect(lookOf({ domain: 'shop.far-away-store.example' })).toMatchObject({
      name: 'Far Away Store',
      attributes: ['plain'],
    });
    expect(lookOf({ domain: 'x'.repeat(253) }).name.length).toBeLessThanOrEqual(60);
    expect(lookOf(undefined).name).toBe('');
  });
});
