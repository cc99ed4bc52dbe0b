import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FileDiff, fileDiff } from '../../../src/api/render/file-diff.ts';
import { laidOut } from '../../../src/api/render/laid-out.ts';

const agents = (...names: readonly string[]) =>
  names.map((name) => ({ url: `https://${name}.example/mcp`, authorized_for: 'display' }));
const changed = (diff: FileDiff) =>
  'hunks' in diff
    ? diff.hunks.flatMap(({ lines }) =>
        lines.filter(({ change }) => change !== 'same').map(({ text }) => text),
      )
    : diff;

describe('a comparison of files with long lines', () => {
  const before = { version: 1, authorized_agents: agents('a', 'b', 'c', 'd'), contact: { name: 'Ann' } };
  const after = { version: 2, authorized_agents: agents('a', 'b', 'x', 'd'), contact: { name: 'Ben' } };

  it('shows every change of JSON on one line, with its place in the file', () => {
    const texts = [before, after].map((one) => `${JSON.stringify(one)}\n`);
    const [old = '', now = ''] = texts;
    expect(old.length).toBeLessThan(400);
    const diff = fileDiff(old, now);
    expect(changed(diff)).toEqual([
      ...[' "version": 1,', ' "version": 2,'],
      ...['   "url": "https://c.example/mcp",', '   "url": "https://x.example/mcp",'],
      ...['  "name": "Ann"', '  "name": "Ben"'],
    ]);
    if (!('hunks' in diff)) throw new Error('it is not shown');
    expect(diff.laid_out).toBe(true);
    const places = diff.hunks.map(({ before_line: line, before_column: column = 0 }) => [
      line,
      old.slice(column - 1, column + 8),
    ]);
    expect(places).toEqual([
      [1, '{"version'],
      [1, '},{"url":'],
      [1, '],"contac'],
    ]);
  });

  it('shows what changed behind the end of one long line among short ones', () => {
    const text = (one: object) => `{\n "a": 1,\n "b": ${JSON.stringify(one)}\n}\n`;
    const diff = fileDiff(text(before), text(after));
    expect(changed(diff)).toContain('   "name": "Ben"');
    expect(diff).toMatchObject({ laid_out: true, hunks: [{ before_line: 2, after_line: 2 }, {}, {}] });
  });

  it('shows of a long value the part that changed', () => {
    const text = (word: string) =>
      JSON.stringify({ note: `${'x '.repeat(400)}${word}${' y'.repeat(400)}` }, null, 1);
    const [gone = '', came = ''] = changed(fileDiff(text('old'), text('new'))) as string[];
    expect([gone.includes('x old y'), came.includes('x new y')]).toEqual([true, true]);
    expect(Math.max(gone.length, came.length)).toBeLessThan(205);
  });

  it('leaves short lines as they are written', () => {
    const diff = fileDiff('{"a":1,\n"b":2}\n', '{"a":1,\n"b":3}\n');
    expect(changed(diff)).toEqual(['"b":2}', '"b":3}']);
    expect(diff).not.toHaveProperty('laid_out');
  });
});

describe('JSON that is laid out', () => {
  it('says the same, in the same order and words, and knows where each line stood', () => {
    const text = '{"b":1e2,"b":"a\\"{[,","1":[],"0":{"x":[true,{}]}}';
    const laid = laidOut(text);
    expect(laid?.text.split('\n').map((line) => line.trim())).toEqual([
      ...[
        '{',
        '"b": 1e2,',
        '"b": "a\\"{[,",',
        '"1": [],',
        '"0": {',
        '"x": [',
        'true,',
        '{}',
        ']',
        '}',
        '}',
        '',
      ],
    ]);
    expect(laid?.offsets.map((at) => text.slice(at, at + 4))).toEqual([
      ...['{"b"', '"b":', '"b":', '"1":', '"0":', '"x":', 'true', '{}]}', ']}}', '}}', '}'],
    ]);
  });

  it('is laid out of any object, however it is written', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(3), (value, indent) => {
        const laid = laidOut(JSON.stringify(value, null, indent));
        if (laid === undefined) return;
        expect(JSON.parse(laid.text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(laid.text).toBe(laidOut(laid.text)?.text);
        expect(laid.offsets).toHaveLength(laid.text.trimEnd().split('\n').length);
      }),
    );
  });
});
