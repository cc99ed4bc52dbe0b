import { describe, expect, it } from 'vitest';
import { barSize, steadyShare } from '../../src/cli/output/crawl-progress.ts';
import { duration, listTable, pace } from '../../src/cli/output/print.ts';

const ROWS = [
  ['sales', 'https://a.example/mcp', 'Nova Sales'],
  ['rights', 'https://中文.example/mcp', 'a name that is far too long for the screen that it is shown on'],
];

describe('a list at the terminal', () => {
  it('has headings, and columns as wide as what is seen of them', () => {
    const lines = listTable(['type', 'agent', 'name'], ROWS, {});
    expect(lines[0]).toContain('type    agent                     name');
    expect(lines.slice(1)).toEqual([
      'sales   https://a.example/mcp     Nova Sales',
      'rights  https://中文.example/mcp  a name that is far too long for the screen that it is shown on',
    ]);
  });

  it('is no wider than the screen, and whole where it is no screen', () => {
    const screen = { isTTY: true, columns: 48 };
    expect(listTable(['type', 'agent', 'name'], ROWS, screen).slice(1)).toEqual([
      'sales   https://a.example/mcp     Nova Sales',
      'rights  https://中文.example/mcp  a name that i…',
    ]);
    expect(listTable(['type', 'agent', 'name'], ROWS, { columns: 48 })[2]).toContain('shown on');
  });

  it('is whole on a screen that does not say how wide it is', () => {
    const screen = { isTTY: true, columns: 0 };
    expect(listTable(['type', 'agent', 'name'], ROWS, screen)[2]).toContain('shown on');
  });

  it.each([
    [34, 'rights  https://中文.example/mcp  a name that is far too long for t…'],
    [18, 'rights  https://中文.example/mcp  a…'],
    [1, 'rights  https://中文.example/mcp  …'],
  ])('of %i columns has whole rows for what stands before the last column', (columns, line) => {
    expect(listTable(['type', 'agent', 'name'], ROWS, { isTTY: true, columns })[2]).toBe(line);
  });
});

describe('the progress of a crawl', () => {
  it('never goes back when the crawl finds more to do', () => {
    const share = steadyShare();
    const shown = [share(0, 10), share(5, 5), share(6, 94), share(60, 40), share(100, 0)];
    expect(shown).toEqual([0, 0.5, 0.5, 0.6, 1]);
  });

  it.each([
    [0, 1_000, 5, ''],
    [20, 10_000, 30, ', 2.0 a second, about 15 s left'],
    [8, 1_000, 4, ', 8.0 a second, about 1 s left'],
    [10, 1_000, 2_500, ', 10 a second, about 4 min 10 s left'],
    [40_000, 1_000, 0, ', 40,000 a second'],
  ])('after %i in %i ms with %i left says its pace', (done, tookMs, left, said) => {
    expect(pace(done, tookMs, left)).toBe(said);
  });
});

describe('a duration', () => {
  it.each([
    [999.6, '1.0 s'],
    [59_940, '59.9 s'],
    [59_960, '1 min'],
    [119_600, '2 min'],
    [250_000, '4 min 10 s'],
    [3_599_700, '1 h'],
    [7_500_000, '2 h 5 min'],
  ])('of %d ms is %s: sixty of one are one of the next', (ms, said) => {
    expect(duration(ms)).toBe(said);
  });
});

describe('the bar of a crawl', () => {
  it.each([
    [10, 4],
    [40, 5],
    [80, 10],
    [200, 20],
  ])('leaves most of %d columns to the words', (columns, size) => {
    expect(barSize(columns)).toBe(size);
  });
});
