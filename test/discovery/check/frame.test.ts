import { expect, it } from 'vitest';
import { frameOf } from '../../../src/discovery/check/frame.ts';

const LINE = '  "name": "日本 \u001b[31m", "x": 1';

it.each([
  [
    'a place and the line before it',
    '{\n  "a": 1,\n}',
    11,
    1,
    2,
    '  1 | {\n> 2 |   "a": 1,\n    |          ^',
  ],
  [
    'wide characters',
    `{\n${LINE}`,
    LINE.indexOf('"x"') + 2,
    3,
    2,
    ['  1 | {', '> 2 |   "name": "日本 \\u001b[31m", "x": 1', `    | ${' '.repeat(29)}^^^`].join('\n'),
  ],
  ['the end of the text', '{"a": 1', 7, 0, 1, '> 1 | {"a": 1\n    |        ^'],
  ['the end of a line', '{\r\n"a": 1\r\n}', 9, 0, 2, '  1 | {\n> 2 | "a": 1\n    |       ^'],
])('shows %s', (_name, text, offset, length, line, frame) => {
  expect(frameOf(text, { offset, length, line })).toBe(frame);
});

it('cuts long lines around the place, to 80 columns', () => {
  const text = `${'x'.repeat(5_000_000)}HERE${'\u0000'.repeat(5_000_000)}`;
  const frame = frameOf(text, { offset: 5_000_000, length: 4, line: 1 });
  expect(frame).toMatch(/^> 1 \| …x+HERE[\\u0]+…\n {4}\| {33,34}\^\^\^\^$/);
  expect(Math.max(...frame.split('\n').map((line) => line.length))).toBeLessThan(76);
});
