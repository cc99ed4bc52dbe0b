import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSchemaSet } from '../../src/protocol/schema-set.ts';

const PRICED = { type: 'object', required: ['model', 'price'] };
const price = (model: string, type: string) => ({
  ...PRICED,
  properties: { model: { type: 'string', const: model }, price: { type } },
});

/** As the field publishes them: draft 7, a form in a file of its own, with and without `discriminator`. */
const SCHEMAS = {
  'prices/cpm.json': price('cpm', 'number'),
  'prices/tiers.json': price('tiers', 'array'),
  'media/get-offers-response.json': {
    type: 'object',
    oneOf: [
      {
        required: ['offers'],
        properties: {
          offers: {
            type: 'array',
            items: {
              oneOf: [
                { $ref: '/schemas/1.0.0/prices/cpm.json' },
                { $ref: '/schemas/1.0.0/prices/tiers.json' },
              ],
            },
          },
          place: {
            discriminator: { propertyName: 'kind' },
            oneOf: [
              {
                required: ['kind', 'site'],
                properties: { kind: { const: 'site' }, site: { type: 'string' } },
              },
              { required: ['kind', 'app'], properties: { kind: { const: 'app' }, app: { type: 'string' } } },
            ],
          },
          size: { oneOf: [{ type: 'string' }, { type: 'object', required: ['width'], properties: {} }] },
          seen: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        },
      },
      { required: ['errors'], properties: { errors: { type: 'array', items: { required: ['code'] } } } },
    ],
  },
};

async function faultsOf(answer: object): Promise<readonly string[] | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'schema-set-'));
  for (const [path, schema] of Object.entries(SCHEMAS)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    const text = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: `/schemas/1.0.0/${path}`,
      ...schema,
    };
    writeFileSync(join(folder, path), JSON.stringify(text));
  }
  const set = await readSchemaSet(folder);
  const issues = set.check(set.ofTask('get_offers') ?? '', answer);
  return issues?.map(({ pointer, message }) => `${pointer} ${message}`);
}

const CPM = { model: 'cpm', price: 3 };

it.each([
  ['an answer that follows it', { offers: [CPM], seen: null, size: 'M' }, []],
  [
    'a wrong type in the form of its model',
    { offers: [{ model: 'cpm', price: '3' }] },
    ['/offers/0/price must be number'],
  ],
  ['a missing field of that form', { offers: [CPM, { model: 'tiers' }] }, ['/offers/1/price is missing']],
  [
    'a model of no form',
    { offers: [{ model: 'cpx', price: 3 }] },
    ['/offers/0/model must be one of cpm, tiers'],
  ],
  ['no model', { offers: [{ price: 3 }] }, ['/offers/0/model is missing']],
  [
    'a form that `discriminator` names',
    { offers: [], place: { kind: 'app', site: 'x' } },
    ['/place/app is missing'],
  ],
  ['a type of no form', { offers: [], size: 7 }, ['/size must be string or object']],
  ['the only form of that type', { offers: [], size: {} }, ['/size/width is missing']],
  ['a fraction for a whole number', { offers: [], seen: 1.5 }, ['/seen must be integer']],
  ['an error without its code', { errors: [{}] }, ['/errors/0/code is missing']],
  ['two forms at once', { offers: [], errors: [] }, [' matches several forms that exclude each other']],
  [
    'two faults at once',
    { offers: [{ model: 'cpm' }], seen: 'x' },
    ['/offers/0/price is missing', '/seen must be integer or null'],
  ],
])('a set of the field reports %s', async (_name, answer, expected) => {
  expect(await faultsOf(answer)).toEqual(expected);
});
