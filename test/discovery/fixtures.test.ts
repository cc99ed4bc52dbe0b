import { expect, test } from 'vitest';
import { CATALOGUE_CODES } from '../../src/discovery/catalogue-codes.ts';
import { FINDING_CODES } from '../../src/discovery/finding-codes.ts';
import { readAdagents } from '../../src/discovery/read-adagents.ts';
import { readBrand } from '../../src/discovery/read-brand.ts';
import { BAD_ADAGENTS, GOOD_ADAGENTS, ODD_ADAGENTS } from './fixtures/adagents.ts';
import { BAD_BRAND, GOOD_BRAND, ODD_BRAND } from './fixtures/brand.ts';
import { bytesOf, type Fixture } from './fixtures/fixture.ts';

const ADAGENTS = [...GOOD_ADAGENTS, ...ODD_ADAGENTS, ...BAD_ADAGENTS];
const BRAND = [...GOOD_BRAND, ...ODD_BRAND, ...BAD_BRAND];
/** Codes whose bounds are too large for a file in a table; each has a test of its own. */
const ELSEWHERE = [
  'member_unknown',
  'member_unread',
  'too_many_values',
  'too_many_findings',
  'too_many_agents',
  'too_many_properties',
  'too_many_domains',
  'too_many_entries',
  'too_many_tags',
  'too_many_references',
  'too_costly',
  // what a file is compared with is in the records: test/discovery/older-files.test.ts
  'last_updated_older',
  'property_unknown_referenced',
  'pointer_orphaned',
  'manager_orphaned',
  'publisher_revoked',
  'nobody_in_force',
  'last_updated_ahead',
  // at which moment: test/discovery/check/verdict.test.ts
  'entry_ended',
  // whose file it is: test/discovery/simple-publisher.test.ts
  'publisher_other',
  // how a file is served: test/discovery/served-files.test.ts
  'compressed',
  'content_type_other',
  'ads_txt_html',
  'legacy_entry_managed',
  'ads_txt_compressed',
  'ads_txt_unread',
  // of ard.json: test/scenarios/ard-claims.test.ts
  'ard_entries_missing',
  'ard_entry_incomplete',
  'ard_entry_unread',
  'ard_publisher_other',
  // only `validate` looks: test/discovery/check/catalogue.test.ts
  ...Object.keys(CATALOGUE_CODES),
];

test.each(ADAGENTS)('adagents.json with $name', ({ file, expect: expected }) => {
  const { declaration, findings } = readAdagents(bytesOf(file));
  expect(declaration?.variant).toBe(expected.variant);
  expect(declaration?.entries.map((entry) => entry.agent)).toEqual(expected.agents);
  expect(findings.map((finding) => `${finding.code} ${finding.pointer}`)).toEqual(expected.findings ?? []);
});

test.each(BRAND)('brand.json with $name', ({ file, expect: expected }) => {
  const { declaration, findings } = readBrand(bytesOf(file));
  expect(declaration?.variant).toBe(expected.variant);
  expect(declaration?.agents.map((agent) => agent.agent)).toEqual(expected.agents);
  expect(findings.map((finding) => `${finding.code} ${finding.pointer}`)).toEqual(expected.findings ?? []);
});

test('good files have no findings and odd ones only warnings', () => {
  const severities = (fixtures: readonly Fixture[], read: typeof readAdagents | typeof readBrand): string[] =>
    fixtures.flatMap(({ file }) => read(bytesOf(file)).findings.map((finding) => finding.severity));
  expect([...severities(GOOD_ADAGENTS, readAdagents), ...severities(GOOD_BRAND, readBrand)]).toEqual([]);
  expect(new Set([...severities(ODD_ADAGENTS, readAdagents), ...severities(ODD_BRAND, readBrand)])).toEqual(
    new Set(['warning']),
  );
});

test('every finding code has a fixture', () => {
  const expected = [...ADAGENTS, ...BRAND].flatMap((fixture) => fixture.expect.findings ?? []);
  const shown = new Set([...expected.map((finding) => finding.split(' ')[0]), ...ELSEWHERE]);
  expect(Object.keys(FINDING_CODES).filter((code) => !shown.has(code))).toEqual([]);
});

test('every finding has a place where the text can be read', () => {
  const text = '{\n  "agents": [\n    {"url": "http://a.example"},\n    5\n  ]\n}';
  const places = readAdagents(bytesOf(text)).findings.map(({ code, line, column }) => ({
    code,
    line,
    column,
  }));
  expect(places).toEqual([
    { code: 'url_not_https', line: 3, column: 13 },
    { code: 'wrong_type', line: 4, column: 5 },
  ]);
});
