import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOCKED_TOKEN, ROSTER } from '../../reference-agents/src/agents/roster.ts';
import { CARELESS_VENDOR } from '../../reference-agents/src/agents/roster-measurement.ts';
import { type BundleWorld, bundleWorld, failuresOf, gapsOf, type RunSpec } from './support/bundle-run.ts';

let world: BundleWorld;

beforeAll(async () => {
  world = await bundleWorld();
});

afterAll(() => world.close());

/** Agents that are bad on purpose: nothing answers, no capabilities task, metrics with an empty or an endless name. */
const BAD = ['lostlane.example', 'tollgate.example', 'oddments.example', CARELESS_VENDOR];

/** It knows a guest by a token of its own, and nobody else. */
const LOCKED = 'lockedcellar.example';

const GOOD = ROSTER.filter(({ url }) => ![...BAD, LOCKED].includes(new URL(url).host));

/** Every good agent over the transport that it is declared with, and over A2A where it speaks that as well. */
const RUNS: readonly (readonly [string, RunSpec])[] = GOOD.flatMap((spec) => {
  const { protocol } = spec.transport;
  const second = spec.also === undefined ? [] : [new URL(spec.also.path, spec.url).href];
  return [
    [`${spec.url} over ${protocol}`, { url: spec.url, protocol }],
    ...second.map((url) => [`${url} over a2a`, { url, protocol: 'a2a' as const }] as const),
  ] as const;
});

describe('the reference agents pass what they declare', () => {
  test.each(RUNS)('%s', async (_, spec) => {
    const run = await world.firstRun(spec);
    expect(run.outcome).toBe('complete');
    expect(failuresOf(run)).toEqual([]);
    expect(gapsOf(run)).toEqual([]);
    expect(run.made.filter(({ cancelled }) => cancelled !== 'yes')).toEqual([]);
  });
});

test('every type that has tasks has an agent whose specialisms all pass', async () => {
  const declared = new Map<string, string>();
  for (const url of ['sales-1', 'creative-1', 'signals-1', 'governance-1', 'rights-1'].map(agentUrl)) {
    const { storyboards, agent } = await world.firstRun({ url, protocol: 'mcp' });
    for (const name of agent?.specialisms ?? []) {
      const own = storyboards.find(({ storyboard_id: id }) => id === name.replaceAll('-', '_'));
      declared.set(name, own?.result ?? 'untested');
    }
  }
  expect(Object.fromEntries(declared)).toEqual({
    'sales-guaranteed': 'pass',
    'sales-non-guaranteed': 'pass',
    'governance-aware-seller': 'pass',
    'audience-sync': 'pass',
    'sales-catalog-driven': 'pass',
    'creative-generative': 'pass',
    'signal-marketplace': 'pass',
    'signal-owned': 'pass',
    'governance-spend-authority': 'pass',
    'brand-rights': 'pass',
  });
});

test('two runs in a row are both complete: nothing of the first is in the way of the second', async () => {
  const spec = { url: agentUrl('sales-1'), protocol: 'mcp' } as const;
  const first = await world.firstRun(spec);
  const second = await world.run(spec);
  expect([failuresOf(first), failuresOf(second)]).toEqual([[], []]);
  expect(first.run_id).not.toBe(second.run_id);
});

test('an agent that wants orders signed is not judged by a run that has no key', async () => {
  const run = await world.run({ url: 'https://yellowdoor.example/a2a', signed: false });
  expect(run).toMatchObject({ outcome: 'inconclusive', inconclusive: { reason: 'auth_required' } });
  expect(run.inconclusive?.lacks).toBe('signing_key'); // ours to have, so it costs no badge
  expect(run.inconclusive?.detail).toMatch(
    /^the agent requires create_media_buy to be signed, and the run had no signing key; blocked step: [\w/]+, and \d+ more$/,
  );
  expect(failuresOf(run)).toEqual([]);
});

test('an agent behind a token is run with its own', async () => {
  const run = await world.run({
    url: `https://${LOCKED}/mcp`,
    token: LOCKED_TOKEN,
    signed: false,
    operator: LOCKED,
  });
  expect(run.outcome).toBe('complete');
  expect([failuresOf(run), gapsOf(run)]).toEqual([[], []]);
});

test('an agent without the capabilities task fails the universal storyboards, and nothing else is tried', async () => {
  const run = await world.run({ url: 'https://oddments.example/mcp' });
  expect(run.storyboards.filter(({ result }) => result === 'fail').map((one) => one.storyboard_id)).toEqual([
    'capability_discovery',
    'version_negotiation',
  ]);
});

test('an agent of the public vocabulary passes with names longer than our own schema allows', async () => {
  const run = await world.run({ url: `https://${CARELESS_VENDOR}/mcp` });
  expect([run.outcome, run.steps.find(({ step_id }) => step_id === 'metrics')?.result]).toEqual([
    'complete',
    'pass',
  ]);
  expect(failuresOf(run)).toEqual([]);
  expect(run.steps.filter(({ checks }) => checks.some(({ advice }) => advice === true))).toEqual([]);
});

function agentUrl(label: string): string {
  return `https://${label}.agents.example/mcp`;
}
