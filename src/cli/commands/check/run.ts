import { nearestName } from '../../../base/near-names.ts';
import {
  type LiveRunOptions,
  type RunOptions,
  replayAgent,
  runAgent,
} from '../../../compliance/run/run-agent.ts';
import type { ComplianceRun } from '../../../compliance/run-result.ts';
import {
  type Bundle,
  readBundle,
  shippedBundle,
  shippedBundles,
} from '../../../compliance/storyboards/bundle.ts';
import { verdictOf } from '../../../compliance/verdict/verdict.ts';
import { systemClock } from '../../../compose/clock.ts';
import { composeFetcher } from '../../../compose/network.ts';
import { RegistryError } from '../../../errors.ts';
import type { RunLease } from '../../../ports/run-schedule.ts';
import { readSchemaSet } from '../../../protocol/schema-set.ts';
import { supportedVersions } from '../../../protocol/validators.ts';
import { resolveVersion } from '../../../protocol/versions.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { namedAgentUrl, readCredential } from '../../input/arguments.ts';
import { signingFetchOf } from '../../input/signing-key.ts';
import { onInterrupt } from '../../interrupt.ts';
import { configOf, networkOf } from '../../setup/settings.ts';
import type { CheckFlags } from './flags.ts';
import { listenerOf } from './listener-of.ts';
import { printCheckRun } from './print.ts';
import { printBundleFindings, showCheckProgress } from './progress.ts';
import { type CredentialReader, type RecordedRun, type RecordRun, withRecording } from './record.ts';

/**
 * `agent-registry check`: 0 when no step failed, 1 when one did or the run was inconclusive, 4 when the agent could not be
 * spoken to, 130 when it was interrupted. With --record the run is kept in the store, whatever it came to.
 */
export function checkAgent(url: string | undefined, flags: CheckFlags): Promise<ExitCode> {
  if (!flags.record) return check(url, flags);
  return withRecording(url, flags, (record, stored, lease) => check(url, flags, record, stored, lease));
}

async function check(
  url: string | undefined,
  flags: CheckFlags,
  record?: RecordRun,
  stored?: CredentialReader,
  lease?: RunLease,
): Promise<ExitCode> {
  const bundle = await chosenBundle(flags);
  printBundleFindings(bundle);
  if (bundle.storyboards.length === 0)
    throw new RegistryError('input_invalid', 'there is no storyboard that could be run', {
      hint: 'the findings above say what is wrong with each file; the format is schemas/storyboard.json',
    });
  const interrupt = onInterrupt();
  const progress = showCheckProgress(flags.progress);
  const options = {
    ...optionsOf(bundle, flags),
    ...(lease?.afterLoss && { afterLoss: true }),
    ...{ signal: interrupt.signal, tell: progress.show },
  };
  try {
    const run = await runOf(url, flags, options, stored);
    progress.stop();
    await recordAndPrint(run, flags, record);
    return exitCodeOf(run);
  } finally {
    progress.stop();
    interrupt.dispose();
  }
}

/** A run that could not be recorded is shown all the same. */
async function recordAndPrint(run: ComplianceRun, flags: CheckFlags, record?: RecordRun): Promise<void> {
  let recorded: RecordedRun | undefined;
  try {
    recorded = await record?.(run);
  } finally {
    printCheckRun(run, verdictOf(run), flags, recorded);
  }
}

function runOf(
  url: string | undefined,
  flags: CheckFlags,
  options: Omit<RunOptions, 'url'>,
  stored?: CredentialReader,
): Promise<ComplianceRun> {
  if (flags.replay !== undefined) {
    if (flags.save !== undefined || url !== undefined)
      throw new RegistryError('usage', '--replay takes neither a url nor --save', {
        hint: 'the saved run names its agent',
      });
    return replayAgent(options, flags.replay);
  }
  if (url === undefined)
    throw new RegistryError('usage', 'no agent is named', { hint: 'give its url, or --replay DIR' });
  return runLive(url, flags, options, stored);
}

async function runLive(
  url: string,
  flags: CheckFlags,
  options: Omit<RunOptions, 'url'>,
  stored?: CredentialReader,
): Promise<ComplianceRun> {
  namedAgentUrl(url, 'checked');
  const auth = (await readCredential(flags, url)) ?? (await stored?.());
  const sign = await signingFetchOf({ profile: '3.2', digest: 'required', ...flags });
  const config = configOf({});
  const fetcher = composeFetcher(config, await networkOf(flags, config), systemClock);
  const hears = await listenerOf(url, options.bundle, flags, fetcher, systemClock);
  const live: LiveRunOptions = {
    ...options,
    url,
    fetcher,
    openOrigin: url,
    ...(auth !== undefined && { auth }),
    ...(sign !== undefined && { sign }),
    ...(flags.protocol !== undefined && { protocols: [flags.protocol] }),
    ...(flags.save !== undefined && { save: flags.save }),
    ...(hears && { listener: hears.listener }),
  };
  try {
    return await runAgent(live);
  } finally {
    await hears?.close();
    await fetcher.close();
  }
}

function optionsOf(bundle: Bundle, flags: CheckFlags): Omit<RunOptions, 'url'> {
  const boards = bundle.storyboards.map(({ storyboard }) => storyboard);
  refuseUnknown('--only: there is no storyboard', flags.only, new Set(boards.map(({ id }) => id)));
  refuseUnknown(
    '--track: there is no storyboard of the track',
    flags.track,
    new Set(boards.map(({ track }) => track)),
  );
  return {
    bundle,
    consent: 'operator',
    clock: systemClock,
    trigger: 'manual',
    target: flags.target,
    version: schemasFor(flags.target),
    testKit: kitOf(flags),
    // our own bundle asks for whom the token acts; a foreign one names somebody of its own
    ...(flags.storyboards !== undefined && flags.operator !== undefined && { operator: flags.operator }),
    only: flags.only,
    tracks: flags.track,
    dryRun: flags.dryRun === true,
    limits: { stepMs: flags.timeout * 1_000, runMs: flags.deadline * 1_000 },
  };
}

/** A slip of the pen would leave nothing to run, and so nothing that could fail. */
function refuseUnknown(problem: string, wanted: readonly string[], known: ReadonlySet<string>): void {
  const unknown = wanted.find((name) => !known.has(name));
  if (unknown === undefined) return;
  const near = nearestName(unknown, known);
  throw new RegistryError('usage', `${problem} ${unknown.slice(0, 128)}`, {
    hint: near === undefined ? `there are ${[...known].toSorted().join(', ')}` : `did you mean ${near}?`,
  });
}

async function chosenBundle({ storyboards, target, schemas: folder }: CheckFlags): Promise<Bundle> {
  const schemas = folder === undefined ? undefined : await readSchemaSet(folder);
  if (storyboards !== undefined) return readBundle(storyboards, schemas);
  const version = resolveVersion(target, shippedBundles());
  if (version === undefined) throw unknownTarget(target, shippedBundles());
  return { ...(await shippedBundle(version)), ...(schemas && { schemas }) };
}

function schemasFor(target: string): string {
  const version = resolveVersion(target, supportedVersions());
  if (version === undefined) throw unknownTarget(target, supportedVersions());
  return version;
}

function unknownTarget(target: string, versions: readonly string[]): RegistryError {
  return new RegistryError('usage', `--target: no version of the protocol is '${target.slice(0, 64)}' here`, {
    hint: `there are ${versions.join(', ')}; a line such as 3.0, or latest, stands for its newest`,
  });
}

function kitOf({ as, operator, brand }: CheckFlags) {
  namedAgentUrl(as, 'our own agent');
  return { agent_url: as, operator: operator ?? new URL(as).hostname, brand: { domain: brand } };
}

function exitCodeOf({ outcome, inconclusive, totals }: ComplianceRun): ExitCode {
  if (inconclusive?.reason === 'interrupted') return EXIT.interrupted;
  if (outcome === 'unreachable') return EXIT.unanswered;
  return outcome === 'inconclusive' || totals.steps.failed > 0 ? EXIT.findings : EXIT.ok;
}
