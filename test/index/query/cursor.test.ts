import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openCursor, sealCursor } from '../../../src/index/query/cursor.ts';
import { canonicalFilter } from '../../../src/index/query/list-query.ts';
import { anyFilter } from '../../contract/agent-index-samples.ts';

const SECRET = new Uint8Array(32).fill(7);
const URL_ = 'https://agent.example/mcp?x=1';

describe('the cursor of a list', () => {
  it('opens to the URL that was sealed, under the same filter', () => {
    fc.assert(
      fc.property(anyFilter(), fc.webPath(), (filter, path) => {
        const url = `https://agent.example${path}`;
        const cursor = sealCursor(SECRET, filter, url);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(openCursor(SECRET, filter, cursor)).toEqual({ ok: true, after: url });
      }),
    );
  });

  it('holds an address of the greatest length', () => {
    const url = `https://agent.example/${'x'.repeat(2_000 - 22)}`;
    expect(openCursor(SECRET, {}, sealCursor(SECRET, {}, url))).toEqual({ ok: true, after: url });
  });

  it('does not show the URL or the filter in clear text', () => {
    expect(sealCursor(SECRET, { q: 'secret' }, URL_)).not.toContain('agent');
  });

  it('is refused under any other filter', () => {
    fc.assert(
      fc.property(anyFilter(), anyFilter(), (one, other) => {
        fc.pre(canonicalFilter(one) !== canonicalFilter(other));
        expect(openCursor(SECRET, other, sealCursor(SECRET, one, URL_))).toMatchObject({
          ok: false,
          problem: { code: 'cursor_mismatch', parameter: 'cursor' },
        });
      }),
    );
  });

  it('does not mind the order and repetition of alternatives', () => {
    const cursor = sealCursor(SECRET, { metricIds: ['a', 'b'], verificationModes: ['spec', 'live'] }, URL_);
    const same = { metricIds: ['b', 'a', 'b'], verificationModes: ['live', 'spec'] } as const;
    expect(openCursor(SECRET, same, cursor)).toEqual({ ok: true, after: URL_ });
  });

  it('is refused when any of its characters was changed', () => {
    const cursor = sealCursor(SECRET, {}, URL_);
    for (let at = 0; at < cursor.length; at += 1) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      const tampered = cursor.slice(0, at) + other + cursor.slice(at + 1);
      expect(openCursor(SECRET, {}, tampered)).toMatchObject({ problem: { code: 'invalid_cursor' } });
    }
  });

  it.each(['x', 'AAAA', '%', 'a b', '=', '🙂', 'A'.repeat(100), 'A'.repeat(100_000), URL_])(
    'refuses %j, which nobody sealed',
    (text) => {
      expect(openCursor(SECRET, {}, text)).toMatchObject({ ok: false, problem: { code: 'invalid_cursor' } });
    },
  );

  it('is refused cut, extended, or under another secret', () => {
    const cursor = sealCursor(SECRET, {}, URL_);
    for (const text of [cursor.slice(0, -1), cursor.slice(0, -4), `${cursor}A`, `${cursor}AAAA`]) {
      expect(openCursor(SECRET, {}, text)).toMatchObject({ problem: { code: 'invalid_cursor' } });
    }
    expect(openCursor(new Uint8Array(32), {}, cursor)).toMatchObject({ problem: { code: 'invalid_cursor' } });
  });
});
