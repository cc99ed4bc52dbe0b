import { expect, it } from 'vitest';
import { GENERATION_TEMPLATE, indexNames } from '../../../src/index/opensearch/catalogue.ts';
import { INDEX_LAYOUT } from '../../../src/index/query/index-fields.ts';

it('names are short enough for OpenSearch with the longest prefix', () => {
  const names = indexNames('x'.repeat(100), 'r');
  const writes = names.writes(Number.MAX_SAFE_INTEGER) + 'f'.repeat(12);
  for (const name of [names.reads, names.previous, writes]) expect(name.length).toBeLessThan(255);
});

it('the alias of searches differs for other records, and does not contain their id', () => {
  const [one, other] = [indexNames('agents', 'records-1').reads, indexNames('agents', 'records-2').reads];
  expect(one).not.toBe(other);
  expect(one).not.toContain('records');
});

it('the template of a generation has the layout', () => {
  expect(GENERATION_TEMPLATE.mappings._meta).toEqual({ layout: INDEX_LAYOUT });
});
