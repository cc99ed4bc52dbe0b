import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../cli/support/cli.ts';
import { regexesInCode, regexesInSchemas } from './regexes/collect.ts';
import { slowRegexes } from './regexes/judge.ts';

const CODE = `
const quadratic = /[ \\t]+$/;
export const made = (text: string) => new RegExp(text, 'u');
export const hidden = (text: string) => text.match('(a+)+b') ?? quadratic.test(text);
export const schema = { type: 'string', pattern: '^(a|a)*$' };
export const isOne = (value: unknown): value is RegExp => value instanceof Map;
// a comment with /(a+)+b/, and a text with ${'`/(a+)+b/`'}
`;

function sampleProject(): string {
  const root = tempFolder();
  for (const folder of ['src', 'schemas']) mkdirSync(join(root, folder));
  const options = { compilerOptions: { noEmit: true, types: [], target: 'es2022', strict: true } };
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify({ ...options, include: ['src'] }));
  writeFileSync(join(root, 'src/a.ts'), CODE);
  const schema = { properties: { pattern: { pattern: '^a/b$' } }, patternProperties: { '(b+)+c': true } };
  writeFileSync(join(root, 'schemas/a.json'), JSON.stringify(schema));
  return root;
}

describe('the gate of regular expressions', () => {
  it('finds those of the code and of the schemas, and the places that make one', () => {
    const root = sampleProject();
    expect([...regexesInCode(root, ['src']), ...regexesInSchemas(root, 'schemas')]).toEqual([
      { place: 'src/a.ts:2', literal: '/[ \\t]+$/' },
      { place: 'src/a.ts:3', made: "new RegExp(text, 'u')" },
      { place: 'src/a.ts:4', made: "text.match('(a+)+b')" },
      { place: 'src/a.ts:5', literal: '/^(a|a)*$/u' },
      { place: 'schemas/a.json#/properties/pattern/pattern', literal: '/^a\\/b$/u' },
      { place: 'schemas/a.json#/patternProperties', literal: '/(b+)+c/u' },
    ]);
  });

  it.each([
    ['/^[a-z]+$/', undefined],
    ['/[ \\t]+$/', /^it is 2nd degree polynomial, for/],
    ['/^(a|a)*$/u', /^it is exponential, for/],
    ['/^(a+)\\1$/', /^it cannot be proven to be linear: unsupported/],
  ])('%s', (literal, why) => {
    const [slow] = slowRegexes([{ place: 'a.ts:1', literal }], []);
    expect(slow?.why).toEqual(why === undefined ? undefined : expect.stringMatching(why));
  });

  it('lets an exception pass, and tells one that nothing needs', () => {
    const found = [{ place: 'a.ts:1', made: 'new RegExp(text)' }];
    expect(slowRegexes(found, [['new RegExp(text)', 'a reason']])).toEqual([]);
    expect(slowRegexes([], [[/a/, 'a reason']])).toEqual([
      { what: '/a/', places: [], why: 'the exception is not needed' },
    ]);
  });
});
