import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../src/domain/text.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');

describe('Retry-After', () => {
  it.each<[string | null | undefined, number | undefined]>([
    ['120', 120_000],
    [' 0 ', 0],
    ['Sat, 21 Nov 2026 12:01:00 GMT', 60_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['Sat, 21 Nov 2026 13:00:00', undefined],
    ['2026-11-21T13:00:00Z', undefined],
    ['-5', undefined],
    ['1e3', undefined],
    ['99999999999', undefined],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('%j asks to wait %s ms', (value, wait) => {
    expect(retryAfterMs(value, NOW)).toBe(wait);
  });
});
