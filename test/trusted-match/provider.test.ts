import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { createMatchProvider } from '../../src/trusted-match/provider.ts';
import { matchSchema } from '../../src/trusted-match/schemas.ts';
import { ANN, context, identity, startProvider } from './support.ts';

const OPERATIONS = ['context', 'identity', 'exposure'] as const;
const SCHEMAS = [
  ...OPERATIONS.flatMap((name) => [`3.0.0/${name}-request`, `3.0.0/${name}-response`]),
  'public/context-request',
  'public/identity-request',
  'packages',
  'audiences',
].map((path) => [path, read(path)] as const);

function read(path: string) {
  return JSON.parse(
    readFileSync(new URL(`../../schemas/trusted-match/${path}.json`, import.meta.url), 'utf8'),
  );
}

type Node = Readonly<Record<string, unknown>>;

/** Every schema inside a schema, itself included, with its place. */
function nodes(schema: unknown, place = ''): (readonly [string, Node])[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const node = schema as Node;
  const inner = Object.entries((node.properties ?? {}) as Node).flatMap(([name, one]) =>
    nodes(one, `${place}/${name}`),
  );
  return [
    [place, node],
    ...inner,
    ...nodes(node.items, `${place}[]`),
    ...nodes(node.additionalProperties, `${place}/*`),
  ];
}

describe('the schemas', () => {
  it.each(SCHEMAS)('%s: its examples follow it, and it says what it is', (_path, schema) => {
    const validate = new Ajv2020({ strict: true, allErrors: true }).compile(schema);
    expect(schema.examples.length).toBeGreaterThan(0);
    for (const example of schema.examples) {
      validate(example);
      expect(validate.errors ?? []).toEqual([]);
    }
    expect([typeof schema.title, typeof schema.description]).toEqual(['string', 'string']);
  });

  it.each(SCHEMAS)(
    '%s: every object is closed, every text and list bounded, everything described',
    (_path, schema) => {
      for (const [place, node] of nodes(schema)) {
        expect(node.description, place).toBeTypeOf('string');
        if (node.type === 'object' && place !== '/audiences')
          expect(node.additionalProperties, place).toBe(false);
        if (node.type === 'array') expect(node.maxItems, place).toBeTypeOf('number');
        if (node.type === 'string')
          expect(node.enum ?? (node.maxLength && node.pattern), place).toBeDefined();
      }
    },
  );

  it('of the two sides have no name in common but the id of the request and the packages', () => {
    const names = (operation: 'context' | 'identity') =>
      new Set(
        nodes(matchSchema(operation, 'request')).flatMap(([, { properties }]) =>
          Object.keys(properties ?? {}),
        ),
      );
    expect([...names('context')].filter((name) => names('identity').has(name)).toSorted()).toEqual([
      'package_ids',
      'request_id',
    ]);
  });
});

describe('the provider', () => {
  it.each([
    ['no JSON', '{"request_id"', 400, 'bad_request'],
    ['nothing', '', 400, 'bad_request'],
    ['a list', '[]', 400, 'invalid_field'],
    ['null', 'null', 400, 'invalid_field'],
    ['a number', '7', 400, 'invalid_field'],
    ['much nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400, 'invalid_field'],
    [
      'much nesting in a member',
      `{"a":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`,
      400,
      'unknown_field',
    ],
    ['too much', JSON.stringify(`x${' '.repeat(300_000)}`), 413, 'body_too_large'],
  ])('refuses %s', async (_name, body, status, code) => {
    for (const operation of OPERATIONS) {
      const { post, counted } = startProvider();
      const answer = await post(`/${operation}`, body);
      expect([answer.status, answer.body.code]).toEqual([status, code]);
      expect(counted.requests).toEqual([[operation, 'refused']]);
    }
  });

  it.each([
    ['a member that is missing', { request_id: undefined }, '/request_id'],
    ['an id that is no UUID', { request_id: '1' }, '/request_id'],
    ['a language that is none', { content: { language: 'english please' } }, '/content/language'],
    [
      'a kind of content that nobody knows',
      { content: { artifact_types: ['x'] } },
      '/content/artifact_types/0',
    ],
    [
      'too many words',
      { content: { keywords: Array.from({ length: 65 }, (_, at) => `w${at}`) } },
      '/content/keywords',
    ],
    ['a word twice', { content: { keywords: ['a', 'a'] } }, '/content/keywords'],
  ])('says where there is %s', async (_name, change, pointer) => {
    const { post } = startProvider();
    const { status, body } = await post('/context', { ...context(), ...change });
    expect([status, body.code, body.pointer]).toEqual([400, 'invalid_field', pointer]);
    expect(body.detail).toContain(pointer);
  });

  it('takes JSON only, by POST only, at its own addresses only', async () => {
    const { server, post } = startProvider();
    expect((await post('/context', context(), { 'content-type': 'text/plain' })).status).toBe(415);
    const get = await server.inject({ method: 'GET', url: '/context' });
    expect([get.statusCode, get.headers.allow, get.json().code]).toEqual([405, 'POST', 'method_not_allowed']);
    expect((await server.inject({ method: 'POST', url: '/', payload: {} })).json().code).toBe('not_found');
  });

  it('may be nobody but one side', async () => {
    const server = createMatchProvider({ context: { packages: [] } });
    const at = (url: string, payload: object) => server.inject({ method: 'POST', url, payload });
    expect((await at('/context', context())).statusCode).toBe(200);
    expect((await at('/identity', identity())).statusCode).toBe(404);
    await server.close();
  });

  it('answers neither side with anything of the other, and lets nobody keep it', async () => {
    const { server, show } = startProvider({ targets: [{ packageId: 'a' }], rules: [{ packageId: 'a' }] });
    await show(ANN, 'a');
    const at = (url: string, payload: object) => server.inject({ method: 'POST', url, payload });
    const [offers, eligible] = [await at('/context', context()), await at('/identity', identity())];
    expect(Object.keys(offers.json())).toEqual(['request_id', 'offers']);
    expect(Object.keys(eligible.json())).toEqual(['request_id', 'eligible_package_ids', 'ttl_seconds']);
    for (const [operation, answer] of [
      ['context', offers],
      ['identity', eligible],
    ] as const) {
      const follows = new Ajv2020({ strict: true }).compile(matchSchema(operation, 'response'));
      expect([follows(answer.json()), follows.errors]).toEqual([true, null]);
    }
    for (const { headers } of [offers, eligible]) {
      expect(headers['cache-control']).toBe('no-store');
      expect(Object.keys(headers)).not.toContain('set-cookie');
    }
  });

  it('hashes tokens with a key that is one', async () => {
    const { createTokenHash } = await import('../../src/trusted-match/eligibility.ts');
    expect(() => createTokenHash(new Uint8Array(31))).toThrow(expect.objectContaining({ code: 'usage' }));
    expect(createTokenHash()(ANN)).not.toBe(createTokenHash()(ANN));
  });
});
