import type { TierTable } from '../../../compliance/badges/conditions.ts';
import {
  type BundlePlan,
  type Decides,
  decidedBy,
  EMBEDDED,
  planBundles,
} from '../../../compliance/bundles/choose.ts';
import { decideRun } from '../../../compliance/decide.ts';
import type { ComplianceRun } from '../../../compliance/run-result.ts';
import { judgeRun } from '../../../compliance/verdict/verdict.ts';
import { systemClock } from '../../../compose/clock.ts';
import { composeCredentials, composeExchange } from '../../../compose/credentials.ts';
import type { Store } from '../../../compose/engines.ts';
import { composeFetcher } from '../../../compose/network.ts';
import type { Config } from '../../../config.ts';
import type { AgentTestSetup } from '../../../domain/compliance.ts';
import { shellWord } from '../../../domain/shell-word.ts';
import { RegistryError } from '../../../errors.ts';
import type { TokenExchange } from '../../../owners/token-exchange.ts';
import type { RunCredential } from '../../../ports/run-credential.ts';
import type { RunLease } from '../../../records/runs/run-leases.ts';
import type { HeldBy } from '../../../records/upkeep/named-leases.ts';
import { hasEnded, holderName, holderText } from '../../../this-process.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { namedAgentUrl } from '../../input/arguments.ts';
import { updateIndex } from '../../setup/after-change.ts';
import { networkOf, tiersOf } from '../../setup/settings.ts';
import { CHANGE, withStore } from '../../setup/store.ts';
import type { RecordedBundles } from './bundles.ts';
import type { CheckFlags } from './flags.ts';

/** Where a run was recorded. */
export interface RecordedRun {
  /** The agent as the registry knows it. */
  readonly agent_url: string;
  /** The path of its compliance operation. */
  readonly compliance_path: string;
}

/** What the agent's owner has stored for tests of it; undefined when that is nothing. */
export type CredentialReader = () => Promise<RunCredential | undefined>;

/** `plan` says how the bundle of the run was chosen; undefined where only one was there. */
export type RecordRun = (run: ComplianceRun, plan: BundlePlan | undefined) => Promise<RecordedRun>;

/** An agent that was taken for a run that is recorded. */
export interface Recording {
  readonly record: RecordRun;
  readonly stored: CredentialReader;
  readonly lease: RunLease;
  readonly bundles: RecordedBundles;
  /** The buyer that the agent's owner has configured. */
  readonly setup?: AgentTestSetup;
}

/** Beyond the run's own deadline: for the handshake, and for keeping it. */
const SLACK_MS = 5 * 60_000;

/**
 * Opens the store and takes the agent before the run, so that nobody waits for a run that cannot be recorded, and gives the
 * work the URL to dial (the records say how it is spelt, as what comes of it is kept for the agent), what records it, and what the
 * agent's owner has stored for tests of it. `usage` for flags that make no record, and for an agent that opted out or is being tested,
 * `not_found` for one never heard of.
 */
export function withRecording(
  url: string | undefined,
  flags: CheckFlags,
  work: (url: string, recording: Recording) => Promise<ExitCode>,
): Promise<ExitCode> {
  const agent = recordable(url, flags);
  return withStore(flags, CHANGE, async (store, config) => {
    const tiers = await tiersOf(config);
    const exchange = tokenExchange(flags, config);
    const credentials = await composeCredentials(config, store.records, store.clock, exchange);
    const state = await store.records.compliance.state(agent);
    if (state === undefined) throw neverHeardOf(agent);
    if (state.settings.optedOut) throw optedOut(agent);
    const installed = await store.records.bundles.list();
    /** What the run decides about, with the bundles and the target as they are at its end. */
    const decidedNow = async ({ agent: tested }: ComplianceRun, { main }: BundlePlan): Promise<Decides> => {
      const bundles = await store.records.bundles.list();
      if (main.version !== EMBEDDED.version && !bundles.some(({ version }) => version === main.version))
        throw bundleRemoved(main.version);
      const target = (await store.records.compliance.state(agent))?.settings.complianceTarget;
      const declared = {
        versions: tested?.supported_versions ?? [],
        vocabulary: tested?.vocabulary,
      };
      const { complianceTarget: fallback } = config;
      return decidedBy(main.version, planBundles({ declared, installed: bundles, target, fallback }));
    };
    const lease = await claim(store, agent, flags);
    try {
      return await work(await store.records.agents.dialled(agent), {
        record: async (run, plan) =>
          record({ ...store, tiers }, lease, run, plan && (await decidedNow(run, plan))),
        bundles: { installed, target: state.settings.complianceTarget },
        stored: () => credentials.credentialOf(agent),
        lease,
        ...(state.settings.testSetup && { setup: state.settings.testSetup }),
      });
    } finally {
      // one that was used is not had any more, and one that cannot be given back runs out
      await store.records.runs.release([lease]).catch(() => {});
    }
  });
}

/** By a way to the network of its own, which is opened only for it. */
function tokenExchange(flags: CheckFlags, config: Config): TokenExchange {
  return async (client, within) => {
    const fetcher = composeFetcher(config, await networkOf(flags, config), systemClock);
    try {
      return await composeExchange(fetcher, systemClock)(client, within);
    } finally {
      await fetcher.close();
    }
  };
}

async function claim({ records }: Store, agent: string, { deadline }: CheckFlags): Promise<RunLease> {
  const { runs, clock } = records;
  const leaseMs = deadline * 1_000 + SLACK_MS;
  const take = () => runs.claim(agent, clock.now(), leaseMs, holderName());
  let claimed = await take();
  if (claimed !== undefined && 'held' in claimed && hasEnded(claimed.held.holder)) {
    await runs.releaseOf(claimed.held.holder, clock.now());
    claimed = await take();
  }
  if (claimed === undefined) throw neverHeardOf(agent);
  if ('held' in claimed) throw testedNow(agent, claimed.held);
  return claimed;
}

function recordable(url: string | undefined, { replay, storyboards, schemas }: CheckFlags): string {
  if (replay !== undefined)
    throw new RegistryError(
      'usage',
      '--record cannot be combined with --replay: a replay does not test the agent',
      {
        hint: 'remove --replay to test the agent itself',
      },
    );
  if (storyboards !== undefined || schemas !== undefined)
    throw new RegistryError(
      'usage',
      `--record cannot be combined with ${storyboards === undefined ? '--schemas' : '--storyboards'}: only bundles of the registry change the status of an agent`,
      {
        hint: 'remove one of the two',
      },
    );
  if (url === undefined)
    throw new RegistryError('usage', 'the URL of the agent is missing', {
      hint: 'pass the URL under which the agent is registered',
    });
  return namedAgentUrl(url, 'checked');
}

async function record(
  { tiers, ...store }: Store & { readonly tiers: TierTable },
  lease: RunLease,
  report: ComplianceRun,
  { role, testedLines }: Decides = {},
): Promise<RecordedRun> {
  const { agent } = lease;
  const { clock } = store.records;
  const now = clock.now();
  const run = judgeRun(report, role);
  const decide = decideRun(run, {
    now,
    settled: clock.settled(),
    tiers,
    ...(testedLines && { testedLines }),
  });
  const actor = { kind: 'operator' } as const;
  const wanted = { agent, run: { ...run, started_at: report.started_at }, report, lease, actor };
  const outcome = await store.records.compliance.saveRun(
    wanted,
    (before) => {
      // The owner may have said so while the run was going on; what is thrown here keeps nothing.
      if (before.settings.optedOut) throw optedOut(agent);
      return decide(before);
    },
    now,
  );
  if (outcome === 'unknown_agent') throw neverHeardOf(agent);
  if (outcome === 'lost') throw takenOver(agent);
  await updateIndex(store);
  const compliance_path = `/api/registry/agents/${encodeURIComponent(agent)}/compliance`;
  return { agent_url: agent, compliance_path };
}

function neverHeardOf(agent: string): RegistryError {
  return new RegistryError('not_found', `${agent} is not in the registry, so the run cannot be recorded`, {
    hint: 'register the agent first: agent-registry agents register URL --member SLUG',
  });
}

function testedNow(agent: string, { holder, until }: HeldBy): RegistryError {
  const time = new Date(until).toISOString();
  const problem = `${agent} is already being tested by ${holderText(holder)}, until ${time} at the latest`;
  return new RegistryError('usage', problem, {
    hint: 'wait for that run to finish, or check without --record',
    retryable: true,
  });
}

function bundleRemoved(version: string): RegistryError {
  return new RegistryError(
    'bundle_unavailable',
    `bundle ${version} was removed while the agent was tested with it; nothing was recorded`,
    { hint: 'run the check again' },
  );
}

function takenOver(agent: string): RegistryError {
  return new RegistryError(
    'lease_lost',
    `the run exceeded its lease, and another process now tests ${agent}; nothing was recorded`,
    { hint: 'run the check again with a shorter --deadline' },
  );
}

function optedOut(agent: string): RegistryError {
  return new RegistryError(
    'usage',
    `the owner of ${agent} has opted out of tests, so the run cannot be recorded`,
    {
      hint: `opt in again with agent-registry agents settings ${shellWord(agent)} --opt-in`,
    },
  );
}
