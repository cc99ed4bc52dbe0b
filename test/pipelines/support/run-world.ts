import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { heartbeat } from '../../../pipelines/heartbeat.ts';
import type { RunContext } from '../../../pipelines/run-context.ts';
import type { LocalBundle } from '../../../src/compliance/bundles/library.ts';
import { createTestBundles, type TestBundles } from '../../../src/compliance/bundles/library.ts';
import { type Bundle, readBundle } from '../../../src/compliance/storyboards/bundle.ts';
import type { Store } from '../../../src/compose/engines.ts';
import { composeFetcher } from '../../../src/compose/network.ts';
import { readConfig } from '../../../src/config.ts';
import { deriveStored } from '../../../src/discovery/derive-facts.ts';
import { RegistryError } from '../../../src/errors.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { NO_TRACING } from '../../../src/ops/trace.ts';
import type { InstalledBundles } from '../../../src/records/runs/installed-bundles.ts';
import { BUNDLE, TEST_KIT } from '../../compliance/support/bundle-run.ts';
import { bundleOf, withPhases } from '../../compliance/support/runs.ts';
import { openWorld, type World } from '../../scenarios/support/world.ts';
import { type Heard, type LightAgent, lightAgents } from './light-agents.ts';

/** One storyboard that any light agent passes: what a run does is not what these tests look at. */
const SMALL = bundleOf(
  withPhases(`
  - id: only
    title: Only
    steps:
      - id: look
        title: Look
        task: get_proto_capabilities
        validations:
          - check: field_present
            path: supported_protocols
            description: it supports something
`),
);

export const urlOf = (host: string) => `https://${host}/mcp`;

export interface RunWorld extends World {
  /** What the agents were asked, in order. */
  readonly heard: readonly Heard[];
  /** Registers the agents of these hosts to a member that has proven to own them. */
  own(...hosts: readonly string[]): Promise<void>;
  /** What tests need; stopped when the test ends. */
  context(over?: Partial<RunContext>): RunContext;
  /** Tests what is due, and ends; with `once` false at the signal. */
  beat(over?: Partial<RunContext>, once?: boolean): Promise<void>;
  /** How the runs of an agent ended, newest first: the outcome, or why it was inconclusive. */
  outcomes(host: string): Promise<readonly string[]>;
  /** Everything that was logged, parsed. */
  logged(): readonly Record<string, unknown>[];
}

/** A world of light agents, each on a host of its own. */
export async function openRunWorld(agents: Readonly<Record<string, LightAgent>>): Promise<RunWorld> {
  const { pages, heard } = lightAgents(agents);
  const world = await openWorld(pages);
  const { store, clock, web } = world;
  const { records } = store;
  const config = readConfig({});
  const fetcher = composeFetcher(config, { connectTo: [web.connectTo] }, clock);
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const end = new AbortController();
  onTestFinished(async () => {
    end.abort();
    await fetcher.close();
  });
  const context = (over: Partial<RunContext> = {}): RunContext => ({
    ...{ fetcher, records, clock, log, metrics: createMetrics(), tracing: NO_TRACING, signal: end.signal },
    setup: { bundle: SMALL, target: '3.0', version: '3.0.0', testKit: TEST_KIT },
    bundles: onlyBundle(SMALL),
    limits: { concurrency: 4, deadlineMs: 600_000 },
    credentialOf: async () => undefined,
    ...over,
  });
  return {
    ...world,
    heard,
    context,
    async own(...hosts) {
      for (const host of hosts) await ownAgent(urlOf(host), world);
    },
    beat: (over, once = true) =>
      heartbeat({
        runs: context(over),
        indexer: { records, index: store.index, rederive: deriveStored },
        once,
      }),
    async outcomes(host) {
      const runs = await records.compliance.lastRuns(urlOf(host), { limit: 100 });
      return runs.map((run) => run.inconclusive?.reason ?? run.outcome);
    },
    logged: () => lines.map((line) => JSON.parse(line)),
  };
}

/** Our own storyboards in the place of the small one. */
export async function withOurBundle(context: RunContext): Promise<RunContext> {
  const bundle = await readBundle(BUNDLE);
  return { ...context, setup: { ...context.setup, bundle }, bundles: onlyBundle(bundle) };
}

/** A registry in which this bundle is the embedded one. */
export function onlyBundle(bundle: Bundle): TestBundles {
  return testBundles([{ ...bundle, version: '3.0.0', line: '3.0', vocabulary: 'proto', isEmbedded: true }], {
    list: async () => [],
  });
}

/** A registry with these bundles on its machine; the digest of each is `sha256:0`. */
export function testBundles(
  local: readonly Omit<LocalBundle, 'wholeDigest'>[],
  installed: Pick<InstalledBundles, 'list'>,
): TestBundles {
  return createTestBundles({
    library: {
      async open(version) {
        const found = local.find((one) => one.version === version);
        if (found === undefined) throw new RegistryError('bundle_unavailable', `no bundle ${version}`);
        return { ...found, wholeDigest: 'sha256:0' };
      },
    },
    installed,
    fallback: '3.0',
  });
}

/** Registers an agent to a member that has proven to own it. */
export async function ownAgent(
  agent: string,
  { store, clock }: { readonly store: Pick<Store, 'records'>; readonly clock: { readonly value: number } },
): Promise<void> {
  const { members, owners } = store.records;
  const [member, now] = ['acme', clock.value];
  await members.import([{ slug: member, displayName: 'Acme', foundingMember: false }], now);
  await members.register({ agent, url: agent, member }, now);
  const expiresAt = now + 3_600_000;
  const { token } = await owners.challenge({ agent, member, token: `t ${agent}`, expiresAt }, now);
  expect(await owners.prove({ agent, member, token, via: 'dns' }, now)).toBe('proven');
}
