import { describe, expect, it } from 'vitest';
import { checkBytes } from '../../../src/discovery/check-file.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const site = (value: string, more: object = {}): object => ({
  ...{ property_id: value, property_type: 'website', name: 'N', publisher_domain: value },
  identifiers: [{ type: 'domain', value }],
  ...more,
});
const file = (entry: object = {}, properties: readonly object[] = [site('a.example')]): object => ({
  $schema: 'https://schemas.example/3.1/adagents.json',
  last_updated: '2026-01-31T09:00:00Z',
  authorized_agents: [
    {
      ...{ url: 'https://sales.example/mcp', authorized_for: 'display' },
      ...{ authorization_type: 'property_ids', property_ids: ['a.example', 'b.example'], ...entry },
    },
  ],
  properties,
});
const summary = (given: object, domain?: string) =>
  checkBytes(Buffer.from(JSON.stringify(given)), { now: NOW, ...(domain !== undefined && { domain }) })
    .summary;

describe('the summary says for which publishers the file counts', () => {
  const both = [site('a.example'), site('b.example')];
  const told = (given: object, domain?: string) =>
    summary(given, domain).publishers.map(({ publisher, onlyIf }) => [publisher, onlyIf]);

  it('of its own domain without a condition, of others if they lead to it', () => {
    expect(told(file({}, both), 'a.example')).toEqual([
      ['a.example', undefined],
      ['b.example', 'if its own file refers to this one'],
    ]);
  });

  it('of each that it names, while nobody says whose it is', () => {
    const condition = 'if it publishes this file, or its own file refers to this one';
    expect(told(file({}, both))).toEqual([
      ['a.example', condition],
      ['b.example', condition],
    ]);
    expect(told(file())).toEqual([['a.example', condition]]);
  });

  it('of whoever publishes it, where it names nobody', () => {
    expect(told(file({ property_ids: ['x'] }, [site('a.example', { publisher_domain: undefined })]))).toEqual(
      [[null, undefined]],
    );
  });
});

describe('the summary says of which text it is', () => {
  it.each<[string, object, string]>([
    ['the file', {}, 'as strict clients read the file'],
    [
      'the file with its fixes',
      { countries: ['de'] },
      'after the safe fixes, as strict clients read the file',
    ],
    [
      'the file with its fixes, of which other errors leave something out',
      { countries: ['de', 'Germany'] },
      'after the safe fixes; entries that are still invalid are ignored',
    ],
    [
      'the file, of which errors leave something out',
      { countries: ['DE', 'Germany'] },
      'invalid entries are ignored',
    ],
  ])('%s', (_name, entry, basis) => {
    expect(summary(file(entry, [site('a.example'), site('b.example')])).basis).toBe(basis);
  });
});

describe('a country that is none', () => {
  const findings = (countries: unknown) =>
    checkBytes(Buffer.from(JSON.stringify(file({ countries, property_ids: ['a.example'] }), undefined, 2)), {
      now: NOW,
      domain: 'a.example',
    });

  it.each<[string, unknown, string | undefined, boolean]>([
    ['UK', ['DE', 'UK'], 'GB', true],
    ['EL', ['EL'], 'GR', true],
    ['small letters', ['uk'], 'GB', true],
    ['its name', ['Germany'], 'DE', false],
    ['a union', ['EU'], undefined, false],
    ['a language', ['EN'], undefined, false],
  ])('%s', (_name, countries, didYouMean, isFixed) => {
    const { findings: found, fixed, valid } = findings(countries);
    expect(valid).toBe(false);
    const [told] = found.filter(({ code }) => code === 'country_invalid');
    expect([told?.didYouMean, told?.fix !== undefined]).toEqual([didYouMean, isFixed]);
    if (isFixed) expect(fixed).toContain(`"${didYouMean}"`);
    else expect(fixed).toBe(undefined);
  });

  it('of several, each has its line', () => {
    const { findings: found } = findings(['Germany', 'DE', 'Austria']);
    expect(found.flatMap(({ didYouMean }) => didYouMean ?? [])).toEqual(['DE', 'AT']);
    const told = found.filter(({ code }) => code === 'country_invalid');
    expect(new Set(told.map(({ line }) => line)).size).toBe(2);
  });

  it('in a text of several becomes what it means', () => {
    expect(findings('de, uk').fixed).toMatch(/"countries": \["DE",\s*"GB"\]/);
  });
});

it('a member under another spelling of one that stands beside it is told', () => {
  const { findings } = checkBytes(Buffer.from(JSON.stringify({ ...file(), Properties: [] })), { now: NOW });
  const [told] = findings.filter(({ severity }) => severity === 'error');
  expect(told).toMatchObject({ code: 'member_twice', pointer: '/Properties' });
});
