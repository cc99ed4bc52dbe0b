import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseDomainSettings } from '../../src/cli/setup/settings-files.ts';
import { ADAGENTS, type FakeWeb, startWeb } from '../scenarios/support/web.ts';
import { run, tempFolder, tempStore } from './support/cli.ts';

const NET = 'net.example';
const site = (n: number) => ({
  ...{ property_id: `p${n}`, property_type: 'website', name: `P${n}` },
  identifiers: [{ type: 'domain', value: `p${n}.${NET}` }],
  tags: Array.from({ length: 60 }, (_, i) => `t${n}-${i}`),
});
const entry = { url: 'https://sales.example/mcp', authorized_for: 'x', authorization_type: 'property_tags' };
const file = {
  authorized_agents: [{ ...entry, property_tags: ['t1-59'] }],
  properties: [site(0), site(1)],
};
let web: FakeWeb;

beforeAll(async () => {
  web = await startWeb({ [NET]: { [ADAGENTS]: file } });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await web.close();
});

/** Crawls the file under these settings. */
async function crawl(store: string, settings: string) {
  const path = join(tempFolder(), 'domains.yaml');
  writeFileSync(path, settings);
  vi.stubEnv('REGISTRY_DOMAINS', path);
  const flags = ['--store', store, '--connect-to', web.connectTo];
  return run('crawl', NET, '--depth', '0', ...flags, '--json');
}

const mayQuestion = ['authorized', entry.url, '--property', `domain:p1.${NET}`, '--json'];

describe('a bound that is agreed with a domain', () => {
  it('is told by the crawl and by explain, under its name; raised, it brings what was left out; lowered, it takes that back', async () => {
    const store = tempStore();
    const authorized = async () =>
      JSON.parse((await run(...mayQuestion, '--store', store)).stdout).authorized;
    const low = await crawl(store, `${NET}: { max_tags: 100 }`);
    const left = 'too many tags; the rest is ignored: 100 read, 20 left out';
    expect(JSON.parse(low.stdout).failures).toContainEqual({
      ...{ source: NET, code: 'too_many_tags' },
      detail: `adagents.json: ${left}`,
    });
    const explained = await run('explain', NET, '--store', store);
    expect(explained.stdout).toContain(`error /properties/1/tags  ${left}  (too_many_tags)`);
    expect(explained.stdout).toContain('hint: ask the operator of the registry to raise max_tags');
    expect(await authorized()).toBe(false);
    const high = await crawl(store, `${NET}: { max_tags: 120 }`);
    expect(JSON.parse(high.stdout).failures.map(({ code }: { code: string }) => code)).not.toContain(
      'too_many_tags',
    );
    expect(await authorized()).toBe(true);
    await crawl(store, `${NET}: { max_tags: 100 }`);
    expect(await authorized()).toBe(false);
  });

  it('tells what a file that is too large for it would need', async () => {
    const store = tempStore();
    await crawl(store, `${NET}: { max_values: 10 }`);
    const { stdout } = await run('explain', NET, '--store', store);
    expect(stdout).toContain('(too_many_values: the JSON has too many values: more than 10)');
    expect(stdout).toMatch(/hint: .*raise max_values for your domain/);
  });
});

describe('the names in the file of domain settings', () => {
  const told = (name: string) => {
    try {
      return parseDomainSettings(JSON.stringify({ [name]: { max_tags: 5 } }), 'f').size;
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    ['net.example', 1],
    ['www.net.example', "'www.net.example' is not a registrable domain; use net.example"],
    ['Net.Example', "'Net.Example' is not a registrable domain; use net.example"],
    ['net.example.', "'net.example.' is not a registrable domain; use net.example"],
    ['bücher.example', "'bücher.example' is not a registrable domain; use xn--bcher-kva.example"],
    [
      '*.net.example',
      "'*.net.example' is not a domain name: each label must have 1 to 63 letters, digits and inner hyphens",
    ],
    ['https://net.example', "'https://net.example' is not a domain name: use a domain name without scheme"],
    ['example', "'example' is not a domain name: a domain name needs at least two labels"],
    ['co.uk', "'co.uk' is a public suffix; use a registrable domain below it"],
  ])('%s', (name, expected) => {
    if (typeof expected === 'number') expect(told(name)).toBe(expected);
    else expect(told(name)).toContain(expected);
  });
});
