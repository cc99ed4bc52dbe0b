import { describe, expect, test } from 'vitest';
import { A, all, byIds, derive, property, select } from './derive-support.ts';

describe('time', () => {
  const at = (day: number): string => new Date(Date.UTC(2026, 5, day)).toISOString();
  const properties = [property('site')];
  const window = (from?: string, until?: string): object =>
    byIds(A, ['site'], { effective_from: from, effective_until: until });

  test.each([
    ['before it begins', window(at(2)), 0, Date.UTC(2026, 5, 2)],
    ['from the moment it begins', window(at(1)), 1, undefined],
    ['before it ends', window(undefined, at(3)), 1, Date.UTC(2026, 5, 3)],
    ['from the moment it ends', window(undefined, at(1)), 0, undefined],
    ['before both', window(at(2), at(3)), 0, Date.UTC(2026, 5, 2)],
  ])('%s', (_name, entry, edges, rederiveAt) => {
    const facts = derive({ authorized_agents: [entry], properties });
    expect(facts.authorisations).toHaveLength(edges);
    expect(facts.rederiveAt).toBe(rederiveAt);
    expect(facts.mentions).toHaveLength(edges);
  });

  test('an entry about others is a mention for as long as it is in force and one of them is not revoked', () => {
    const entries = (more: object): object => ({
      authorized_agents: [{ ...select(all('one.example', 'two.example')), ...more }],
    });
    const revoked = (...domains: string[]): object => ({
      revoked_publisher_domains: domains.map((publisher_domain) => ({ publisher_domain, revoked_at: at(1) })),
    });
    const mentions = (file: object): number => derive(file).mentions.length;
    expect(mentions(entries({}))).toBe(1);
    expect(mentions(entries({ effective_until: at(1) }))).toBe(0);
    expect(derive(entries({ effective_until: at(2) })).rederiveAt).toBe(Date.UTC(2026, 5, 2));
    expect(mentions({ ...entries({}), ...revoked('one.example') })).toBe(1);
    expect(mentions({ ...entries({}), ...revoked('one.example', 'www.two.example') })).toBe(0);
  });

  test('a file that revoked its own domain mentions nobody for it', () => {
    const file = {
      agents: [{ url: A }],
      revoked_publisher_domains: [{ publisher_domain: 'news.example', revoked_at: at(2) }],
    };
    expect(derive(file)).toMatchObject({ mentions: [], authorisations: [] });
  });

  test('the soonest of several moments counts', () => {
    const facts = derive({
      authorized_agents: [window(undefined, at(9)), window(at(4)), window(undefined, at(6))],
      properties,
    });
    expect(facts.rederiveAt).toBe(Date.UTC(2026, 5, 4));
  });

  test.each([
    ['from the first day', {}],
    ['since yesterday', { revoked_at: '2026-05-31T00:00:00Z' }],
    ['from tomorrow', { revoked_at: '2026-06-02T00:00:00Z' }],
    ['at a time that cannot be read', { revoked_at: 'soon' }],
  ])('a publisher revoked %s is revoked now', (_name, more) => {
    const file = {
      authorized_agents: [select(all('news.example'))],
      revoked_publisher_domains: [{ publisher_domain: 'news.example', ...more }],
    };
    for (const via of ['own', 'reference', 'manager'] as const) {
      const facts = derive(file, { via });
      expect(facts.authorisations).toEqual([]);
      expect(facts.rederiveAt).toBeUndefined();
    }
  });
});
