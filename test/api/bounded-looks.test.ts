import { describe, expect, it } from 'vitest';
import { createBoundedLooks } from '../../src/api/operations/bounded-looks.ts';

const WORDS = { one: 'a file', many: 'files', done: 'checked' };

/** Looks of which two may be under way; each lasts until it is ended. */
function looks() {
  const clock = { value: 0, now: () => clock.value };
  const look = createBoundedLooks<string>({ clock, atOnce: 2, words: WORDS });
  const under: { end: () => void }[] = [];
  const begin = (caller: string, site?: string) =>
    look({
      caller,
      ...(site !== undefined && { site }),
      see: () => {
        const { promise, resolve } = Promise.withResolvers<string>();
        under.push({ end: () => resolve(caller) });
        return promise;
      },
    });
  return { clock, begin, endAll: () => under.forEach(({ end }) => void end()) };
}

describe('looks for strangers', () => {
  it('are so many at once for all, and one for a caller', async () => {
    const { begin, endAll } = looks();
    const first = [begin('a'), begin('b')];
    await expect(begin('a')).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(begin('c')).rejects.toMatchObject({ code: 'overloaded', headers: { 'retry-after': '5' } });
    endAll();
    expect((await Promise.all(first)).map(({ value }) => value)).toEqual(['a', 'b']);
    const again = begin('c');
    endAll();
    expect((await again).value).toBe('c');
  });

  it('are five of one site in a minute, whoever asks', async () => {
    const { clock, begin, endAll } = looks();
    for (let count = 0; count < 5; count += 1) {
      const seen = begin(`caller ${count}`, 'news.example');
      endAll();
      await seen;
    }
    await expect(begin('another', 'news.example')).rejects.toMatchObject({ code: 'rate_limited' });
    clock.value += 60_000;
    const later = begin('another', 'news.example');
    endAll();
    expect((await later).value).toBe('another');
  });
});
