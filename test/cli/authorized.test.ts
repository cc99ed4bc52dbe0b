import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADAGENTS, type FakeWeb, startWeb } from '../scenarios/support/web.ts';
import { run } from './support/cli.ts';
import { follows } from './support/schemas.ts';

const entry = (name: string, more: object): object => ({
  ...{ url: `https://${name}.agents.example/mcp`, authorized_for: 'x' },
  ...{ authorization_type: 'property_ids', property_ids: ['home'], ...more },
});
const FILE = {
  authorized_agents: [
    entry('now', {}),
    entry('soon', { effective_from: '2999-01-01T00:00:00Z', countries: ['DE'] }),
    entry('past', { effective_until: '2001-01-01T00:00:00Z' }),
    entry('limited', { property_ids: ['home', 'archive'], countries: ['NL', 'BE'] }),
    entry('signals', { authorization_type: 'signal_ids', property_ids: undefined, signal_ids: ['auto'] }),
  ],
  properties: [
    {
      ...{ property_id: 'home', property_type: 'website', name: 'News' },
      identifiers: [{ type: 'domain', value: 'news.example' }],
    },
    {
      ...{ property_id: 'archive', property_type: 'website', name: 'Archive' },
      identifiers: [{ type: 'domain', value: 'archive.news.example' }],
    },
  ],
};
const agent = (name: string): string => `https://${name}.agents.example/mcp`;
let web: FakeWeb;
let folder: string;
let store: readonly string[];

beforeAll(async () => {
  web = await startWeb({ 'news.example': { [ADAGENTS]: FILE } });
  folder = mkdtempSync(join(tmpdir(), 'registry-test-'));
  store = ['--store', `sqlite:${join(folder, 'store.sqlite')}`];
  await run('crawl', 'news.example', '--depth', '0', '--connect-to', web.connectTo, ...store);
});
afterAll(async () => {
  await web.close();
  rmSync(folder, { recursive: true });
});

describe('authorized', () => {
  const asked = (name: string, ...more: string[]) =>
    run('authorized', agent(name), '--publisher', 'news.example', ...store, ...more);

  it('says of an entry for signals that it is about no inventory, whatever property is named', async () => {
    const { code, stdout } = await asked('signals');
    expect(code).toBe(1);
    expect(stdout).toContain('the entry covers signals, which authorize no inventory');
    expect(stdout).not.toContain('name a property');
  });

  it('shows with a no what the entry covers, and the URL of the agent that the file lists', async () => {
    const part = await asked('now', '--country', 'DE');
    expect([part.code, part.stdout]).toEqual([1, expect.stringContaining('covers property ids: home')]);
    const other = ['--publisher', 'www.news.example', '--property-id', 'home', ...store];
    const path = await run('authorized', 'https://now.agents.example/', ...other, '--json');
    expect(path.code).toBe(1);
    expect(follows<{ because: object[] }>(path.stdout, 'cli/authorized.json').because).toMatchObject([
      { code: 'not_named', publisher_domain: 'news.example', nearest: [agent('now')] },
    ]);
  });

  it('lists the countries and property ids of an entry that does not cover the country', async () => {
    const { code, stdout } = await asked('limited', '--country', 'DE');
    expect(code).toBe(1);
    expect(stdout.split('\n').map((line) => line.trim())).toEqual(
      expect.arrayContaining([
        'covers property ids: home, archive',
        'covers only the countries: NL, BE',
        'the entry does not cover the country DE',
        'for example: --property-id home',
      ]),
    );
    const within = await asked('limited', '--country', 'NL');
    expect(within.stdout).not.toContain('does not cover the country');
    const yes = await asked('limited', '--property-id', 'home');
    expect([yes.code, yes.stdout]).toEqual([0, expect.stringContaining('covers only the countries: NL, BE')]);
  });

  it('says of a moment before the first visit that nothing was known then, and since when something is', async () => {
    const { code, stdout } = await asked('now', '--property-id', 'home', '--at', '2020-01-01');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /the registry had no data about news\.example at that time; its data begins at 20\d\d-/,
    );
    expect(stdout).not.toContain('could be read');
  });

  it.each([
    ['UK', 'the ISO 3166-1 code of this country is GB'],
    ['EU', 'use an ISO 3166-1 alpha-2 code'],
    ['deu', 'use an ISO 3166-1 alpha-2 code'],
  ])('refuses the country %s', async (country, words) => {
    const { code, stderr } = await asked('now', '--property-id', 'home', '--country', country);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });
});

describe('explain', () => {
  it('shows entries whose window is open at another time, and that they do not authorise now', async () => {
    const { stdout } = await run('explain', 'news.example', ...store);
    const [, told = ''] = stdout.split('authorised by its file at another time only:');
    const lines = told.trim().split('\n').slice(0, 2);
    expect(lines[0]).toMatch(/soon.*countries DE, from 2999-01-01T00:00:00.000Z: not in force yet/);
    expect(lines[1]).toMatch(/past.*until 2001-01-01T00:00:00.000Z: expired/);
    const json = await run('explain', 'news.example', ...store, '--json');
    const { files } = follows<{ files: { out_of_time: object[] }[] }>(json.stdout, 'cli/explain-domain.json');
    expect(files[0]?.out_of_time).toMatchObject([
      { agent: agent('soon'), limits: { effective_from: '2999-01-01T00:00:00.000Z', countries: ['DE'] } },
      { agent: agent('past') },
    ]);
  });
});
