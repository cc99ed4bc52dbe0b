import { afterEach, describe, expect, it, vi } from 'vitest';
import { printArrival } from '../../src/cli/commands/webhooks/print.ts';
import { note, printJson, printLine, shortList } from '../../src/cli/output/print.ts';

afterEach(() => vi.restoreAllMocks());

/** Each moves a cursor, sets a title, hides or reorders. */
const OBEYED = [
  ...[
    '\u001b[2J',
    '\u001b]0;title\u0007',
    '\u001b[8m',
    '\u009b2J',
    '\u009d0;title\u009c',
    '\r',
    '\b',
    '\u007f',
  ],
  ...['\u202egnp', '\u2066', '\u200b', '\u{e0041}'],
];
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e\u2066]|[\u{e0000}-\u{e007f}]/u;

function printed(stream: 'stdout' | 'stderr', print: () => void): string {
  const write = vi.spyOn(process[stream], 'write').mockReturnValue(true);
  print();
  return write.mock.calls.map(([text]) => String(text)).join('');
}

describe('what a stranger wrote does nothing at a terminal, wherever it is printed', () => {
  it.each(OBEYED.map((text) => [JSON.stringify(text), text]))('%s', (_name, text) => {
    for (const print of [printLine, (line: string) => printJson({ line })])
      expect(printed('stdout', () => print(`a${text}b`))).not.toMatch(RAW);
    expect(printed('stderr', () => note(`a${text}b`))).not.toMatch(RAW);
    vi.restoreAllMocks();
    const payload = { agent_url: 'https://a.example/', event: text, media_buy_id: text };
    const webhook = { sender: 'https://a.example/', keyid: text, receivedAt: 0, outOfOrder: false, payload };
    const line = printed('stdout', () => printArrival({ webhook, duplicate: false }, true));
    expect(line).not.toMatch(RAW);
    expect(JSON.parse(line)).toMatchObject({ key_id: text, payload });
  });

  it('and our colours, lines and columns stay', () => {
    const line = '\u001b[1mbold\u001b[22m \u001b[31mred\u001b[39m\t\u001b[90mgrey\u001b[39m\nnext';
    expect(printed('stdout', () => printLine(line))).toBe(`${line}\n`);
  });
});

it('a list of labels is cut after twenty', () => {
  const labels = Array.from({ length: 21 }, (_, minor) => `3.${minor}`);
  expect(shortList(labels.slice(0, 20))).toMatch(/^3\.0, 3\.1, .*, 3\.19$/);
  expect(shortList(labels)).toMatch(/, 3\.19, …$/);
  expect(shortList([])).toBe('');
});
