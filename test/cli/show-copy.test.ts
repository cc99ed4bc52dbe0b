import { describe, expect, it } from 'vitest';
import { showCopy } from '../../src/cli/commands/index/progress.ts';

/** Copies 1,000 agents a second and shows it; returns what was written. */
function copy(isTTY: boolean, total: number, page: number, from = 0): string[] {
  const written: string[] = [];
  let at = 0;
  const shown = showCopy({ isTTY, write: (text) => written.push(text) }, () => at);
  for (let copied = from; ; copied = Math.min(total, copied + page)) {
    shown.update(copied, total);
    if (copied === total) break;
    at += page;
  }
  shown.update(total, total);
  shown.end();
  return written;
}

describe('the progress of a copy', () => {
  it('is a line for each tenth where it goes fast', () => {
    const lines = copy(false, 20_000, 500);
    expect(lines).toHaveLength(10);
    expect(lines[0]).toBe('2,000 of 20,000 agents copied (10 %), 1,000 a second, about 18 s left\n');
    expect(lines.at(-1)).toBe('20,000 of 20,000 agents copied (100 %), 1,000 a second\n');
  });

  it('is a line every five seconds where it goes slowly', () => {
    const lines = copy(false, 100_000, 1_000);
    expect(lines).toHaveLength(20);
    expect(lines[0]).toContain('5,000 of 100,000 agents copied (5 %), 1,000 a second, about 1 min 35 s left');
  });

  it('counts its rate from where it goes on', () => {
    expect(copy(false, 20_000, 1_000, 18_000)[0]).toBe(
      '20,000 of 20,000 agents copied (100 %), 1,000 a second\n',
    );
  });

  it('is one line that is written anew on a terminal, and ended', () => {
    const written = copy(true, 3_000, 500);
    expect(written.slice(0, -1).every((text) => text.startsWith('\r\u001b[K') && !text.includes('\n'))).toBe(
      true,
    );
    expect(written.at(-1)).toBe('\n');
  });

  it('says nothing of nothing', () => {
    expect(copy(false, 0, 1)).toEqual([]);
  });
});
