import { describe, expect, it } from 'vitest';
import { verdictInWords } from '../../../src/discovery/check/summary-words.ts';
import { checkBytes } from '../../../src/discovery/check-file.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const SITE = {
  ...{ property_id: 'site', property_type: 'website', name: 'News' },
  identifiers: [{ type: 'domain', value: 'news.example' }],
};
const entry = (name: string, more: object = {}): object => ({
  ...{ url: `https://${name}.example/mcp`, authorized_for: 'display' },
  ...{ authorization_type: 'property_ids', property_ids: ['site'], ...more },
});
const selector = (...publisher_domains: string[]) => ({
  ...{ authorization_type: 'publisher_properties', property_ids: undefined },
  publisher_properties: [{ publisher_domains, selection_type: 'all' }],
});
const file = (entries: readonly object[], more: object = {}): object => ({
  $schema: 'https://schemas.example/3.1/adagents.json',
  last_updated: '2026-01-31T09:00:00Z',
  authorized_agents: entries,
  properties: [SITE],
  ...more,
});
const checked = (given: object, now = NOW) =>
  checkBytes(Buffer.from(JSON.stringify(given, undefined, 2)), { now, domain: 'news.example' });
const many = Array.from({ length: 30 }, (_, n) => `p${n}.example`);
const ENDED = { effective_until: '2026-05-31T00:00:00Z' };
const LATER = { effective_from: '2026-06-02T00:00:00Z' };

describe('the verdict on a file', () => {
  it.each<[string, object, string]>([
    ['all of whose agents may sell', file([entry('a'), entry('b')]), 'valid: 2 of 2 agents may sell today'],
    [
      'with entries that have ended or not begun',
      file([entry('a'), entry('b', ENDED), entry('c', LATER)]),
      'valid: 1 of 3 agents may sell today',
    ],
    [
      'with an agent that has another entry in force',
      file([entry('a', ENDED), entry('a', { countries: ['DE'] })]),
      'valid: 1 of 1 agent may sell today',
    ],
    [
      'with an id of nothing',
      file([entry('a', { property_ids: ['x'] })]),
      'valid: 0 of 1 agent may sell today',
    ],
    [
      'that revokes its publisher',
      file([entry('a')], {
        revoked_publisher_domains: [{ publisher_domain: 'news.example', revoked_at: '2026-05-01T00:00:00Z' }],
      }),
      'valid: 0 of 1 agent may sell today',
    ],
    [
      'of which an entry is left out',
      file([entry('a'), entry('b', { countries: ['Nowhere'] })]),
      'not valid: 1 of 2 agents may sell today',
    ],
    [
      'for thirty publishers',
      file([
        entry('a', selector(...many)),
        entry('b', selector('p29.example')),
        entry('c', { ...selector('p29.example'), ...ENDED }),
      ]),
      'valid: 2 of 3 agents may sell today',
    ],
    ['that is a catalogue', file([]), 'valid: no agent is authorized by it; it is a catalog'],
    [
      'that is a catalogue without a list',
      file([], { authorized_agents: undefined }),
      'valid: no agent is authorized by it; it is a catalog',
    ],
    ['that is empty', file([], { properties: [] }), 'valid: no agent is authorized by it'],
    [
      'that leads to another one',
      { authoritative_location: 'https://cdn.example/adagents.json' },
      'valid: it refers to another file',
    ],
    [
      'with invalid entries of three agents, two of them of the same one',
      file([entry('a'), entry('b', { url: undefined }), entry('c', { countries: null }), entry('c')]),
      'not valid: 2 of 3 agents may sell today',
    ],
    ['that cannot be understood', { sellers: [] }, 'not valid'],
  ])('%s', (_name, given, words) => expect(verdictInWords(checked(given))).toBe(words));

  it('follows the clock', () => {
    const given = file([entry('a', ENDED)]);
    const before = checked(given, Date.parse('2026-05-30T00:00:00Z'));
    expect([verdictInWords(before), before.findings]).toEqual(['valid: 1 of 1 agent may sell today', []]);
    const { valid, findings } = checked(given);
    expect([valid, findings]).toMatchObject([
      true,
      [
        {
          severity: 'warning',
          code: 'entry_ended',
          pointer: '/authorized_agents/0/effective_until',
          line: 12,
        },
      ],
    ]);
  });
});

it('a publisher that is named with and without www is one, and so is its property', () => {
  const site = (publisher_domain: string) => ({ ...SITE, publisher_domain });
  const properties = [site('net.example'), site('www.net.example')];
  const { summary, inventory } = checked(
    file([entry('a', selector('net.example', 'www.net.example'))], { properties }),
  );
  expect(
    summary.publishers.map(({ publisher, sellers }) => [publisher, sellers.map((one) => one.properties)]),
  ).toEqual([
    ['news.example', []],
    ['net.example', [{ website: 1 }]],
  ]);
  expect(inventory).toEqual({ properties: 1, byType: { website: 1 }, tags: 0 });
});

it('the errors that remain are those of the corrected file', () => {
  const { errorsLeft, findings } = checked(
    file([entry('a', { countries: ['de', 'Nowhere'] }), entry('b', { url: 'nothing' })]),
  );
  expect(findings.filter(({ fix }) => fix !== undefined)).toHaveLength(1);
  expect(errorsLeft).toBe(2);
  expect(checked(file([entry('a')])).errorsLeft).toBeUndefined();
});
