import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judgeRole } from '../../src/compliance/badges/conditions.ts';
import { judgeRun, verdictOf } from '../../src/compliance/verdict/verdict.ts';
import {
  type BundleWorld,
  bundleWorld,
  failuresOf,
  gapsOf,
} from '../../test/compliance/support/bundle-run.ts';
import { BROKEN_AGENTS, brokenUrl } from '../src/broken/broken-agents.ts';
import { BROKEN_DOMAIN } from '../src/broken/broken-domain.ts';
import { webClient } from './support/web-client.ts';

let world: BundleWorld;

beforeAll(async () => {
  world = await bundleWorld();
});

afterAll(() => world.close());

describe('each broken agent fails exactly where it is broken, and nowhere else', () => {
  test.each(BROKEN_AGENTS.map((agent) => [agent.name, agent] as const))('%s', async (name, agent) => {
    const url = brokenUrl(agent);
    const run = await world.firstRun(name === 'hangs' ? { url, stepMs: 6_000 } : { url });
    expect(run.outcome).toBe('complete');
    expect(failuresOf(run)).toEqual(agent.fails);
    expect(gapsOf(run)).toEqual(agent.gaps ?? []);
    expect(run.totals.steps.passed).toBeGreaterThanOrEqual(10);
  });
});

test('what a broken agent made by its fault is canceled too', async () => {
  for (const name of ['past-flight', 'second-effect', 'accepts-conflict', 'unsigned-accepted']) {
    const { made } = await world.firstRun({ url: brokenUrl({ name }) });
    const open = made.filter(({ cancelled }) => cancelled !== 'yes');
    expect(open, name).toEqual([]);
  }
});

test('who has no sandbox is verified for nothing that could not be tried there', async () => {
  const run = await world.firstRun({ url: brokenUrl({ name: 'real-money' }) });
  const { specialism_status: statuses } = verdictOf(run);
  expect(statuses).toEqual({ 'signal-marketplace': 'untested', 'signal-owned': 'untested' });
  expect(judgeRole(judgeRun(run), 'signals', '3.0').result).toBe('fail');
});

test('no crawl is told of them', () => {
  const { expectations, domains, agents } = world.sandbox;
  const told = JSON.stringify([expectations, domains, agents]);
  expect(told).not.toContain(BROKEN_DOMAIN);
});

test('their brand.json names them all, and each has its keys', async () => {
  const web = webClient(world.sandbox.origin);
  const file = await web.fetch(`https://${BROKEN_DOMAIN}/.well-known/brand.json`);
  const { agents } = (await file.json()) as { agents: { url: string }[] };
  expect(agents.map(({ url }) => url)).toEqual(BROKEN_AGENTS.map(brokenUrl));
  const keys = await web.fetch(`https://no-replay.${BROKEN_DOMAIN}/.well-known/jwks.json`);
  expect(await keys.json()).toMatchObject({
    keys: expect.arrayContaining([expect.objectContaining({ kty: 'OKP' })]),
  });
  await web.close();
});

test('each has a name of its own, and says where it has to be found out', () => {
  const names = BROKEN_AGENTS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, fails, gaps } of BROKEN_AGENTS)
    if (name !== 'script') expect([...fails, ...(gaps ?? [])], name).not.toEqual([]);
});

test('the manual has a row for each, with the steps at which it fails', async () => {
  const manual = await readFile(new URL('../docs/broken-agents.md', import.meta.url), 'utf8');
  for (const { name, type, does, fails } of BROKEN_AGENTS) {
    const row =
      manual.split('\n').find((line) => line.startsWith(`| \`${name}\` | ${type} | ${does} |`)) ?? '';
    expect(row, name).not.toBe('');
    for (const place of fails) expect(row).toContain(`\`${place.split(' ')[0]}\``);
  }
});
