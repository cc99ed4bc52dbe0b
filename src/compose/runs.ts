import type { RunContext, TestSetup } from '../../pipelines/run-context.ts';
import type { TierTable } from '../compliance/badges/conditions.ts';
import { EMBEDDED, resolveTarget } from '../compliance/bundles/choose.ts';
import { unusableBundles } from '../compliance/bundles/installed-files.ts';
import { createBundleLibrary, createTestBundles, type TestBundles } from '../compliance/bundles/library.ts';
import type { Sign } from '../compliance/conversation/identities.ts';
import { shippedBundle } from '../compliance/storyboards/bundle.ts';
import { type Config, SETTINGS } from '../config.ts';
import { RegistryError } from '../errors.ts';
import type { Logger } from '../ops/log.ts';
import { createMetrics, type Metrics } from '../ops/metrics.ts';
import { NO_TRACING } from '../ops/trace.ts';
import type { Clock } from '../ports/clock.ts';
import type { ControlProbe, Fetcher } from '../ports/fetcher.ts';
import type { Records } from '../ports/records.ts';
import type { Tracing } from '../ports/tracing.ts';
import { loadKey } from '../signing/key-folder.ts';
import { readSigningKey } from '../signing/private-key.ts';
import { PURPOSES } from '../signing/profile.ts';
import { createSigningFetch } from '../signing/sign.ts';
import { composeCredentials, composeExchange } from './credentials.ts';
import { composeControl } from './network.ts';
import type { TestWebhooks } from './test-webhooks.ts';

export interface RunParts {
  readonly config: Config;
  readonly records: Records;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly metrics?: Metrics;
  readonly tracing?: Tracing;
  readonly tiers?: TierTable;
  /** The receiver of the process. Absent: agents cannot post webhooks to it. */
  readonly webhooks?: TestWebhooks | undefined;
  /** The one of the process; without it one is made of the settings. */
  readonly control?: ControlProbe;
}

/**
 * Everything that tests of agents need, from its parts. Rejects with a RegistryError `usage` for a version of the protocol
 * that is not here, and `input_invalid` for keys that cannot be used.
 */
export async function composeRuns(parts: RunParts): Promise<RunContext> {
  const { config, records, fetcher, clock, log, signal, metrics, tracing, tiers } = parts;
  const { runConcurrency: concurrency, runDeadlineMs: deadlineMs } = config;
  const exchange = composeExchange(fetcher, clock);
  const { credentialOf } = await composeCredentials(config, records, clock, exchange);
  return {
    ...{ records, fetcher, clock, log, signal, credentialOf },
    metrics: metrics ?? createMetrics(),
    tracing: tracing ?? NO_TRACING,
    setup: await testSetupOf(config, clock),
    bundles: await composeBundles(config, records, log),
    limits: { concurrency, deadlineMs },
    ...composeControl(parts),
    ...(tiers && { tiers }),
    ...(parts.webhooks && { webhooks: parts.webhooks }),
  };
}

async function testSetupOf(config: Config, clock: Clock): Promise<TestSetup> {
  const { complianceTarget: target } = config;
  const sign = await signerOf(config, clock);
  return {
    bundle: await shippedBundle(EMBEDDED.version),
    target,
    version: EMBEDDED.version,
    ...buyerOf(config),
    ...(sign && { sign }),
  };
}

/** Rejects with `usage` for a target that no bundle of the registry matches. */
async function composeBundles(
  config: Config,
  { bundles: installed }: Records,
  log: Logger,
): Promise<TestBundles> {
  const { complianceTarget: fallback } = config;
  const known = await installed.list();
  const offers = [...known, EMBEDDED];
  if (resolveTarget(fallback, offers) === undefined)
    throw new RegistryError(
      'usage',
      `REGISTRY_COMPLIANCE_TARGET: no installed bundle matches '${fallback.slice(0, 64)}'`,
      {
        hint: `installed: ${offers.map(({ version }) => version).join(', ')}; a line such as 3.0 selects its default`,
      },
    );
  for (const { version, state } of await unusableBundles(known, config.bundles))
    log.error(
      { version, files: state },
      'a bundle in use cannot be used on this machine: run `agent-registry bundles add`',
    );
  return createTestBundles({ library: createBundleLibrary(config.bundles), installed, fallback });
}

/** The buyer that tests act as, and which of its values were configured. */
function buyerOf({ testAgent, testOperator, testBrand }: Config): Pick<TestSetup, 'testKit' | 'configured'> {
  const brand = { domain: testBrand };
  return {
    testKit: { agent_url: testAgent, operator: testOperator || new URL(testAgent).hostname, brand },
    configured: {
      ...(testOperator !== '' && { operator: testOperator }),
      ...(testBrand !== SETTINGS.testBrand.fallback && { brand }),
    },
  };
}

async function signerOf({ testKey: file }: Config, clock: Clock): Promise<Sign | undefined> {
  if (file === '') return undefined;
  const key = await readSigningKey((await loadKey(file)).jwk);
  if (key.purpose !== undefined && key.purpose !== PURPOSES.request)
    throw new RegistryError(
      'input_invalid',
      `REGISTRY_TEST_KEY: the key ${key.keyid} is for ${key.purpose}`,
      {
        hint: 'create one for requests with `agent-registry keys generate --kind request`',
      },
    );
  return (fetch) => createSigningFetch(fetch, { kind: 'request', profile: '3.2', key, clock });
}
