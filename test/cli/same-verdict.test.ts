import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { heartbeat } from '../../pipelines/heartbeat.ts';
import { startSandbox } from '../../reference-agents/src/start-sandbox.ts';
import type { ComplianceRun } from '../../src/compliance/run-result.ts';
import { readBundle } from '../../src/compliance/storyboards/bundle.ts';
import { openStore } from '../../src/compose/engines.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { composeRuns } from '../../src/compose/runs.ts';
import { openTestWebhooks } from '../../src/compose/test-webhooks.ts';
import { readConfig } from '../../src/config.ts';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { VOCABULARIES, type VocabularyName } from '../../src/protocol/vocabulary.ts';
import { testBundles } from '../pipelines/support/run-world.ts';
import { run, tempFolder } from './support/cli.ts';
import { prove } from './support/served.ts';

const SELLER = 'https://sales-1.agents.example/mcp';
const HOOKS = 'https://hooks.registry.example';
const BRAND = 'penny-bicycles.example';

afterEach(() => vi.unstubAllEnvs());

async function good(...args: readonly string[]): Promise<string> {
  const ran = await run(...args);
  expect(ran.code, ran.stderr + ran.stdout).toBe(0);
  return ran.stdout;
}

/** A port that is free now; the tests below use it one after the other. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * A registry that tests a seller of the sandbox with everything that can be configured: operator and account by the owner, brand,
 * signing key and webhooks by the registry, and a stored credential. The registry's own operator is none that the seller knows.
 */
async function configured(vocabulary: VocabularyName) {
  const folder = tempFolder();
  const store = ['--store', `sqlite:${join(folder, 'store.sqlite')}`];
  const key = join(folder, 'desk.json');
  const made = await good(
    'keys',
    'generate',
    '--kind',
    'request',
    '--vocabulary',
    vocabulary,
    '--out',
    key,
    '--json',
  );
  const credentialKeys = join(folder, 'credential-keys.json');
  await good('keys', 'generate', '--kind', 'credential', '--out', credentialKeys);
  const port = await freePort();
  const sandbox = await startSandbox({
    ...{ seed: 7, publishers: 10, managed: 5, vocabulary, deskKeys: [JSON.parse(made).jwk] },
    connectTo: [`${new URL(HOOKS).host}=http://127.0.0.1:${port}`],
  });
  onTestFinished(() => sandbox.close());
  const way = ['--connect-to', `*.example=${sandbox.origin}`];
  vi.stubEnv('REGISTRY_CREDENTIAL_KEYS', credentialKeys);
  vi.stubEnv('REGISTRY_TEST_AGENT', 'https://desk.example/agent');
  vi.stubEnv('REGISTRY_TEST_OPERATOR', 'unknown-operator.example');
  vi.stubEnv('REGISTRY_TEST_BRAND', BRAND);
  vi.stubEnv('REGISTRY_TEST_KEY', key);
  vi.stubEnv('REGISTRY_TEST_WEBHOOKS', HOOKS);
  vi.stubEnv('REGISTRY_TEST_WEBHOOK_PORT', String(port));
  vi.stubEnv('TOKEN', 'sandbox-desk');
  const members = join(folder, 'members.yaml');
  writeFileSync(
    members,
    '- slug: nova\n  display_name: Nova\n  membership_tier: builder\n  subscription_status: active\n',
  );
  await good('members', 'import', members, ...store);
  await good('agents', 'register', SELLER, '--member', 'nova', ...store);
  await prove(store, SELLER, 'nova');
  await good('agents', 'credential', SELLER, '--member', 'nova', '--auth-env', 'TOKEN', ...store);
  const opened = await openAccount(folder, way);
  const buyer = ['--operator', 'desk.example', '--account', opened];
  await good('agents', 'settings', SELLER, '--member', 'nova', ...buyer, ...store);
  return { folder, store, way, key, port, vocabulary, account: opened };
}

type Configured = Awaited<ReturnType<typeof configured>>;

/** Opens the account with the seller that the owner names; its id. */
async function openAccount(folder: string, way: readonly string[]): Promise<string> {
  const request = join(folder, 'accounts.json');
  const account = { brand: { domain: BRAND }, operator: 'desk.example', billing: 'operator', sandbox: true };
  writeFileSync(request, JSON.stringify({ idempotency_key: 'open-the-account-1', accounts: [account] }));
  const flags = ['--json', request, '--auth-env', 'TOKEN', '--format', 'json', ...way];
  const { data } = JSON.parse(await good('call', SELLER, 'sync_accounts', ...flags));
  return data.accounts[0].account_id;
}

/** What each step came to, and the verdict with all that follows from it. */
function outcomeOf(kept: { readonly run: { readonly report: ComplianceRun } & Record<string, unknown> }) {
  const { status, tracks, headline, storyboards_total, storyboards_passing, report } = kept.run;
  const steps = report.steps.map((step) => [
    `${step.storyboard_id}/${step.phase_id}/${step.step_id}`,
    step.skip_reason ?? step.result,
  ]);
  return { status, tracks, headline, storyboards_total, storyboards_passing, steps };
}

/** A bundle that was made elsewhere: it waits for a signed webhook, and its samples name a buyer of their own. */
function hooksBundle(folder: string): string {
  const bundle = join(folder, 'bundle');
  for (const name of ['universal', 'test-kits']) mkdirSync(join(bundle, name), { recursive: true });
  writeFileSync(join(bundle, 'test-kits/acme.yaml'), 'brand: {house: {domain: acme.example}}\n');
  writeFileSync(
    join(bundle, 'universal/hooks.yaml'),
    `id: hooks
title: Hooks
track: core
prerequisites: {test_kit: test-kits/acme.yaml}
phases:
  - id: order
    steps:
      - id: find
        task: get_products
        sample_request: {buying_mode: brief, brief: display advertising for a small shop}
        context_outputs:
          - {path: "products[0].product_id", key: product_id}
          - {path: "products[0].pricing_options[0].pricing_option_id", key: pricing_option_id}
          - {path: "products[0].pricing_options[0].currency", key: currency}
      - id: account
        task: sync_accounts
        stateful: true
        sample_request:
          accounts:
            - {brand: {domain: acme.example}, operator: agency.example, billing: operator, currency: $context.currency}
      - id: order
        task: create_media_buy
        stateful: true
        sample_request:
          account: {brand: {domain: acme.example}, operator: agency.example}
          brand: {domain: acme.example}
          start_time: "{{now+2d}}"
          end_time: "{{now+9d}}"
          packages: [{product_id: $context.product_id, pricing_option_id: $context.pricing_option_id, budget: 2000}]
          push_notification_config: {url: "{{runner.webhook_url:order}}"}
        context_outputs: [{path: media_buy_id, key: media_buy_id}]
      - id: cancel
        task: update_media_buy
        stateful: true
        sample_request:
          account: {brand: {domain: acme.example}, operator: agency.example}
          media_buy_id: $context.media_buy_id
          canceled: true
      - {id: hook, task: expect_webhook, triggered_by: order, timeout_seconds: 30}
      - {id: signed, task: expect_webhook_signature_valid, triggered_by: order, timeout_seconds: 30}
`,
  );
  return bundle;
}

/** The bundle as the default of the line 3.0. */
async function installedBundle(folder: string, vocabulary: VocabularyName) {
  const known = { version: '3.0.5', line: '3.0', vocabulary } as const;
  const local = { ...(await readBundle(folder)), ...known, isEmbedded: false };
  const installed = { ...known, digest: 'sha256:0', stage: 'default', aliases: [], addedAt: 0 } as const;
  return testBundles([local], { list: async () => [installed] });
}

/** The heartbeat with another bundle, as a registry has it that has installed one. */
async function beatWith(bundle: string, { store, way, vocabulary }: Configured): Promise<ComplianceRun> {
  const config = readConfig({ ...process.env, REGISTRY_STORE: store[1] });
  const { records, index, close } = await openStore(config, { create: false });
  const { clock } = records;
  const fetcher = composeFetcher(config, { connectTo: [way[1] as string] }, clock);
  const log = pino({ level: 'silent' });
  const parts = { config, records, fetcher, clock, log, signal: new AbortController().signal };
  const webhooks = await openTestWebhooks({ ...parts, host: '127.0.0.1' });
  try {
    const runs = await composeRuns({ ...parts, webhooks });
    const bundles = await installedBundle(bundle, vocabulary);
    await heartbeat({
      runs: { ...runs, bundles },
      indexer: { records, index, rederive: deriveStored },
      once: true,
    });
    const [kept] = await records.compliance.lastRuns(SELLER, { limit: 1 });
    const run = await records.compliance.evidence(SELLER, kept?.run_id ?? '');
    return run?.report as unknown as ComplianceRun;
  } finally {
    await webhooks?.close();
    await fetcher.close();
    await close();
  }
}

const stepsOf = ({ steps }: ComplianceRun) =>
  steps.map((step) => `${step.step_id}: ${step.skip_reason ?? step.result}`);

describe('a scheduled run and a manual run of one agent with the same configuration', () => {
  it.each<[VocabularyName, string, number]>([
    ['proto', 'passing', 0],
    ['adcp', 'passing', 0],
    ['adcp', 'degraded', 1],
  ])('give the same verdict, step by step: %s, %s', async (vocabulary, status, code) => {
    const { store, way, key } = await configured(vocabulary);
    const wrong = ['agents', 'settings', SELLER, '--account', 'acc-of-nobody', ...store];
    if (status !== 'passing') await good(...wrong);
    expect(await good('heartbeat', '--once', '--log-level', 'silent', ...way, ...store)).toBe(
      '1 run: 1 complete\n',
    );
    const same = ['--brand', BRAND, '--sign', key, '--progress', 'none'];
    expect(await run('check', SELLER, '--record', ...same, ...way, ...store)).toMatchObject({ code });
    const { runs } = JSON.parse(await good('runs', 'list', SELLER, '--json', ...store));
    expect(runs).toMatchObject([{ triggered_by: 'manual' }, { triggered_by: 'heartbeat' }]);
    const [manual, scheduled] = await Promise.all(
      runs.map(async ({ run_id: id }: { run_id: string }) =>
        outcomeOf(JSON.parse(await good('runs', 'show', SELLER, id, '--evidence', '--json', ...store))),
      ),
    );
    expect(scheduled).toEqual(manual);
    expect(manual).toMatchObject({ status });
  });

  it.each(VOCABULARIES)(
    'receive the same webhooks with a bundle that was made elsewhere: %s',
    async (name) => {
      const world = await configured(name);
      const { way, key, port, account, folder } = world;
      const bundle = hooksBundle(folder);
      const scheduled = await beatWith(bundle, world);
      const buyer = ['--operator', 'desk.example', '--brand', BRAND, '--account', account];
      const hooks = ['--webhooks', HOOKS, '--webhook-port', String(port)];
      const flags = ['--auth-env', 'TOKEN', '--sign', key, '--progress', 'none', '--json', ...way];
      const manual = JSON.parse(
        await good('check', SELLER, '--storyboards', bundle, ...buyer, ...hooks, ...flags),
      ) as ComplianceRun;
      const passed = ['find', 'account', 'order', 'cancel', 'hook', 'signed'].map((id) => `${id}: pass`);
      expect([stepsOf(scheduled), stepsOf(manual)]).toEqual([passed, passed]);
    },
  );
});
