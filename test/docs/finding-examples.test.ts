import { describe, expect, it } from 'vitest';
import { FETCH_CODES, fetchHint } from '../../src/discovery/check/fetch-codes.ts';
import { SYNTAX_FAULTS } from '../../src/discovery/check/syntax-faults.ts';
import { checkBytes } from '../../src/discovery/check-file.ts';
import { FINDING_CODES } from '../../src/discovery/finding-codes.ts';
import { type FileExample, textOf } from '../../tools/reference/examples/example.ts';
import { FINDING_EXAMPLES } from '../../tools/reference/examples/examples.ts';

const CODES = { ...FINDING_CODES, ...FETCH_CODES };
const NOW = Date.parse('2026-06-01T00:00:00Z');
const FILES = Object.entries(FINDING_EXAMPLES).flatMap(([code, example]) =>
  'words' in example || !Object.hasOwn(CODES, code) ? [] : [{ code, example }],
);

function codesOf(example: FileExample, file: object | string): Set<string> {
  const kind = example.kind ?? 'adagents';
  const { findings } = checkBytes(Buffer.from(textOf(file)), { kind, now: NOW });
  return new Set(findings.map(({ code }) => code));
}

describe('the codes of findings', () => {
  it('have a hint each, and an example', () => {
    const codes = Object.entries(CODES);
    expect(codes.filter(([, sentence]) => !('hint' in sentence)).map(([code]) => code)).toEqual([]);
    expect(codes.map(([code]) => code).filter((code) => !Object.hasOwn(FINDING_EXAMPLES, code))).toEqual([]);
  });

  it('of a fetch have a hint for every status', () => {
    for (const code of ['http_404', 'http_418', 'http_503', 'http_304', 'last_updated_older', 'dns'])
      expect(fetchHint(code)).toMatch(/^[a-z]/);
    expect(fetchHint('http_418')).toBe(FETCH_CODES.http_4xx.hint);
    expect(fetchHint('constructor')).toBeUndefined();
  });

  it('have no example for a code that is gone', () => {
    expect(Object.keys(FINDING_EXAMPLES).filter((code) => !Object.hasOwn(CODES, code))).toEqual([]);
  });

  it.each(FILES)(
    '$code is what its example shows, and not what its repaired one does',
    ({ code, example }) => {
      const others = [...codesOf(example, example.before)].filter((found) => found !== code);
      expect([
        codesOf(example, example.before).has(code),
        others.filter((found) => !example.with?.includes(found)),
      ]).toEqual([true, []]);
      expect([...codesOf(example, example.after)]).toEqual([]);
    },
  );

  it.each(Object.entries(SYNTAX_FAULTS))(
    'the fault %s is what its example shows',
    (_kind, { reason, example }) => {
      const { findings } = checkBytes(Buffer.from(example), { kind: 'adagents', now: NOW });
      const [start = '', end = ''] = reason.split('#');
      const messages = findings.filter(({ code }) => code === 'syntax').map(({ message }) => message);
      expect(messages.some((message) => message.includes(start) && message.includes(end))).toBe(true);
    },
  );
});
