import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstAt, parsePath, resolvePath } from '../../src/compliance/json-path.ts';
import { OWN_NAMES } from '../support/own-names.ts';

const ANSWER = {
  products: [
    { id: 'a', kind: 'x', options: [{ price: 1 }, { price: 2 }] },
    { id: 'b', kind: 'y', options: [] },
  ],
  empty: null,
};

function at(path: string, root: unknown = ANSWER): readonly string[] {
  return resolvePath(root, parsePath(path) ?? []).map(({ pointer, present, value }) =>
    present ? `${pointer}=${JSON.stringify(value)}` : `${pointer} missing`,
  );
}

describe('a path of the public format', () => {
  it.each([
    ['products[0].id', ['/products/0/id="a"']],
    ['products[0].options[*].price', ['/products/0/options/0/price=1', '/products/0/options/1/price=2']],
    ['products[*].id', ['/products/0/id="a"', '/products/1/id="b"']],
    ['products[kind=y].id', ['/products/1/id="b"']],
    ['products[kind=z].id', ['/products missing']],
    ['products[7].id', ['/products/7 missing']],
    ['products[1].options[*].price', ['/products/1/options/0 missing']],
    ['nobody.there', ['/nobody missing']],
    ['empty', ['/empty=null']],
    ['$.products[1].id', ['/products/1/id="b"']],
  ])('%s leads to its places', (path, places) => {
    expect(at(path)).toEqual(places);
  });

  it.each(['', 'a..b', 'a[', 'a[]', 'a[1', '[x=1', 'a]b'])(
    '%j is read or refused, and never throws',
    (path) => {
      const steps = parsePath(path);
      expect(path === '' ? steps : (steps ?? 'none')).toEqual(path === '' ? [] : 'none');
    },
  );

  it('finds the section of either vocabulary', () => {
    expect(at('adcp.idempotency', { proto: { idempotency: 1 } })).toEqual(['/proto/idempotency=1']);
    expect(at('proto_version', { adcp_version: '3.0.0' })).toEqual(['/adcp_version="3.0.0"']);
    expect(at('adcp.x', { adcp: {}, proto: { x: 1 } })).toEqual(['/adcp/x missing']);
  });

  it.each(OWN_NAMES)('chooses an item by its member, whatever that is: %j', (said) => {
    const products = [{ kind: said }, { kind: 'y', id: 'b' }];
    expect(at('products[kind=y].id', { products })).toEqual(['/products/1/id="b"']);
  });

  it('never reads what an object inherits', () => {
    expect(at('constructor.name')).toEqual(['/constructor missing']);
    expect(at('__proto__')).toEqual(['/__proto__ missing']);
  });

  it('is bounded in a hostile answer', () => {
    const many = { a: Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => 1)) };
    expect(resolvePath(many, parsePath('a[*][*]') ?? []).length).toBe(10_000);
  });

  it('finds what is at the end of any plain path', () => {
    const name = fc.stringMatching(/^[a-z_]{1,8}$/).filter((text) => !/^(adcp|proto)/.test(text));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(name, fc.nat(5)), { minLength: 1, maxLength: 8 }),
        fc.jsonValue(),
        (steps, value) => {
          const root = steps.reduceRight<unknown>(
            (inside, step) =>
              typeof step === 'number' ? [...Array(step).fill(0), inside] : { [step]: inside },
            value,
          );
          const path = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
          expect(firstAt(root, path.replace(/^\./, ''))).toEqual({
            pointer: `/${steps.join('/')}`,
            present: true,
            value,
          });
        },
      ),
    );
  });
});
