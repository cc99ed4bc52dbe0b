import { type JsonObject, parseObject } from '../../../base/json.ts';
import { nearestName } from '../../../base/near-names.ts';
import { EMBEDDED } from '../../../compliance/bundles/choose.ts';
import { type BuyerSetup, choiceFor, setupFor } from '../../../compliance/buyer.ts';
import {
  type LiveRunOptions,
  type RunOptions,
  replayAgent,
  runAgent,
} from '../../../compliance/run/run-agent.ts';
import { type MissingValue, singleSteps } from '../../../compliance/run/single-step.ts';
import type { ComplianceRun } from '../../../compliance/run-result.ts';
import { allSteps } from '../../../compliance/storyboard.ts';
import type { Bundle } from '../../../compliance/storyboards/bundle.ts';
import { verdictOf } from '../../../compliance/verdict/verdict.ts';
import { systemClock } from '../../../compose/clock.ts';
import { composeAgentControl, composeFetcher } from '../../../compose/network.ts';
import { SETTINGS } from '../../../config.ts';
import type { AgentTestSetup } from '../../../domain/compliance.ts';
import type { Verdict } from '../../../domain/judged-run.ts';
import { shellWord } from '../../../domain/shell-word.ts';
import { RegistryError } from '../../../errors.ts';
import { EXIT, type ExitCode, exitCodeOfRun } from '../../exit-codes.ts';
import { namedAgentUrl, readCredential, readTextFile } from '../../input/arguments.ts';
import { signingFetchOf } from '../../input/signing-key.ts';
import { onInterrupt } from '../../interrupt.ts';
import { configOf, networkOf } from '../../setup/settings.ts';
import { type CheckBundles, checkBundles } from './bundles.ts';
import type { CheckFlags } from './flags.ts';
import { listenerOf } from './listener-of.ts';
import { printBundleFindings, printUnknownNames, showCheckProgress } from './progress.ts';
import { type CredentialReader, type RecordedRun, type Recording, withRecording } from './record.ts';
import { formatOf, printReport, requireWritable, writeReport } from './report.ts';

/**
 * `agent-registry check`; its exit codes are in docs/reference/compliance.md. With --record the run is kept in the store,
 * whatever its result.
 */
export function checkAgent(url: string | undefined, flags: CheckFlags): Promise<ExitCode> {
  if (!flags.record) return check(url, flags);
  return withRecording(url, flags, (dialled, recording) =>
    check(dialled, withStoredSetup(flags, recording.setup), recording),
  );
}

async function check(
  url: string | undefined,
  flags: CheckFlags,
  { record, stored, lease, bundles: recorded }: Partial<Recording> = {},
): Promise<ExitCode> {
  formatOf(flags);
  if (flags.output !== undefined) await requireWritable(flags.output);
  const bundles = await checkBundles(flags, configOf({}), recorded);
  const [likely] = bundles.candidates;
  if (bundles.choose === undefined) printBundleFindings(likely, flags.verbose === true);
  if (likely.storyboards.length === 0)
    throw new RegistryError('input_invalid', 'no usable storyboard in the folder', {
      hint: 'see the findings above; the format is schemas/storyboard.json',
    });
  const options = await optionsOf(bundles, flags);
  const interrupt = onInterrupt();
  const progress = showCheckProgress(flags.progress);
  try {
    const more = { signal: interrupt.signal, tell: progress.show };
    const run = await runOf(
      url,
      flags,
      { ...options, ...more, ...(lease?.afterLoss && { afterLoss: true }) },
      stored,
    );
    progress.stop();
    if (flags.verbose === true && bundles.choose === undefined) printUnknownNames(likely, run);
    const verdict = verdictOf(run);
    await recordAndPrint(run, verdict, flags, record && ((one) => record(one, bundles.plan())));
    return run.inconclusive?.reason === 'interrupted' ? EXIT.interrupted : exitCodeOfRun(run, verdict.status);
  } finally {
    progress.stop();
    interrupt.dispose();
  }
}

/** A run that could not be recorded is shown all the same. */
async function recordAndPrint(
  run: ComplianceRun,
  verdict: Verdict,
  flags: CheckFlags,
  record?: (run: ComplianceRun) => Promise<RecordedRun>,
): Promise<void> {
  let recorded: RecordedRun | undefined;
  try {
    recorded = await record?.(run);
  } finally {
    const report = { run, verdict, flags, ...(recorded && { recorded }) };
    printReport(report);
    if (flags.output !== undefined) await writeReport(report, flags.output);
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
      throw new RegistryError('usage', '--replay cannot be combined with a URL or --save', {
        hint: 'the saved run contains the URL of the agent',
      });
    return replayAgent(options, flags.replay);
  }
  if (url === undefined)
    throw new RegistryError('usage', 'the URL of the agent is missing', {
      hint: 'pass the URL, or --replay DIR',
    });
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
  const network = await networkOf(flags, config);
  const fetcher = composeFetcher(config, network, systemClock);
  const { signal = new AbortController().signal } = options;
  const known = options.choose === undefined ? options.bundle : undefined;
  const hears = await listenerOf(url, known, flags, fetcher, systemClock);
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
    ...composeAgentControl(url, network, { config, fetcher, clock: systemClock, signal }),
  };
  try {
    return await runAgent(live);
  } finally {
    await hears?.close();
    await fetcher.close();
  }
}

async function optionsOf(bundles: CheckBundles, flags: CheckFlags): Promise<Omit<RunOptions, 'url'>> {
  const { candidates, choose } = bundles;
  const boards = candidates.flatMap(({ storyboards }) => storyboards.map(({ storyboard }) => storyboard));
  refuseUnknown('--only: unknown storyboard', flags.only, new Set(boards.map(({ id }) => id)));
  refuseUnknown('--track: unknown track', flags.track, new Set(boards.map(({ track }) => track)));
  const step = await chosenStep(bundleWithStep(bundles, flags), flags);
  const [likely] = candidates;
  const setup = { bundle: step?.bundle ?? likely, testKit: kitOf(flags) };
  return {
    ...setupFor(setup, buyerOf(flags)),
    consent: 'operator',
    clock: systemClock,
    trigger: 'manual',
    target: bundles.target,
    version: EMBEDDED.version,
    only: step === undefined ? flags.only : [step.storyboard],
    tracks: flags.track,
    dryRun: flags.dryRun === true,
    limits: { stepMs: flags.timeout * 1_000, runMs: flags.deadline * 1_000 },
    ...(choose !== undefined && step === undefined && { choose: choiceFor(setup, buyerOf(flags), choose) }),
  };
}

/** The first bundle that has the storyboard of --step; a step is run with that one, whatever the agent declares. */
function bundleWithStep({ candidates }: CheckBundles, { step = '' }: CheckFlags): BuyerSetup['bundle'] {
  const [likely] = candidates;
  const [board] = step.split('/');
  return (
    candidates.find(({ storyboards }) => storyboards.some(({ storyboard }) => storyboard.id === board)) ??
    likely
  );
}

/** The bundle with the step of --step alone. Throws `usage` when it cannot be run by itself, with what it needs. */
async function chosenStep(
  bundle: BuyerSetup['bundle'],
  flags: CheckFlags,
): Promise<{ readonly bundle: BuyerSetup['bundle']; readonly storyboard: string } | undefined> {
  const context = flags.context === undefined ? {} : await contextIn(flags.context);
  if (flags.step === undefined) {
    if (flags.context === undefined) return undefined;
    throw new RegistryError('usage', '--context requires --step', { hint: 'select a step with --step' });
  }
  const found = singleSteps(bundle, flags.step, context);
  const [single] = found;
  if (single === undefined) throw noSuchStep(bundle, flags.step);
  if (found.length > 1)
    throw new RegistryError('usage', `--step: ${flags.step} exists in several phases`, {
      hint: `choose one of ${found.map(({ key }) => key).join(', ')}`,
    });
  const { storyboard, missing, needsStoryboard } = single;
  const whole = `run the whole storyboard with --only ${shellWord(storyboard)}`;
  if (needsStoryboard)
    throw new RegistryError('usage', `--step: ${flags.step} uses the answers of earlier steps`, {
      hint: whole,
    });
  if (missing.length > 0)
    throw new RegistryError(
      'usage',
      `--step: ${flags.step} needs values of earlier steps: ${missing.map(({ text }) => text).join(', ')}`,
      { hint: `${whole}, or pass the values with --context FILE: ${neededValues(missing)}` },
    );
  return { bundle: { ...bundle, ...single.bundle }, storyboard };
}

function neededValues(missing: readonly MissingValue[]): string {
  const file = JSON.stringify(Object.fromEntries(missing.map(({ name }) => [name, '…'])));
  const sources = missing.flatMap(({ text, source }) =>
    source === undefined ? [] : [`${text} is ${source}`],
  );
  const from = sources.length === 0 ? '' : `. ${sources.join('; ')}; a run with --save DIR saves the answers`;
  return `a JSON object such as ${file}${from}`;
}

async function contextIn(file: string): Promise<JsonObject> {
  const value = parseObject(await readTextFile(file, '--context'));
  if (value !== undefined) return value;
  throw new RegistryError('usage', `--context: ${file} is not a JSON object`, {
    hint: 'write an object such as {"media_buy_id": "mb-1"}',
  });
}

function noSuchStep({ storyboards }: Bundle, named: string): RegistryError {
  const boards = storyboards
    .map(({ storyboard }) => storyboard)
    .filter(({ id }) => named.startsWith(`${id}/`));
  const [board] = boards.toSorted((one, other) => other.id.length - one.id.length);
  const names = (board === undefined ? [] : allSteps(board)).map((step) => `${board?.id}/${step.id}`);
  const near = nearestName(named, names);
  const known =
    names.length === 0
      ? 'write STORYBOARD/STEP or STORYBOARD/PHASE/STEP'
      : `available steps: ${names.slice(0, 30).join(', ')}`;
  return new RegistryError('usage', `--step: unknown step ${named.slice(0, 200)}`, {
    hint: near === undefined ? known : `did you mean ${near}?`,
  });
}

/** A misspelt name would select nothing, and nothing could fail. */
function refuseUnknown(problem: string, wanted: readonly string[], known: ReadonlySet<string>): void {
  const unknown = wanted.find((name) => !known.has(name));
  if (unknown === undefined) return;
  const near = nearestName(unknown, known);
  throw new RegistryError('usage', `${problem} ${unknown.slice(0, 128)}`, {
    hint: near === undefined ? `available: ${[...known].toSorted().join(', ')}` : `did you mean ${near}?`,
  });
}

function kitOf({ as, brand }: CheckFlags) {
  namedAgentUrl(as, 'our own agent');
  return { agent_url: as, operator: new URL(as).hostname, brand: { domain: brand } };
}

/** The parts of the buyer that are no defaults. */
function buyerOf({ operator, brand, account }: CheckFlags): AgentTestSetup {
  return {
    ...(operator !== undefined && { operator }),
    ...(brand !== SETTINGS.testBrand.fallback && { brand: { domain: brand } }),
    ...(account !== undefined && { account: { account_id: account } }),
  };
}

/** The flags, with the buyer that the owner of the agent has configured where they name none. */
function withStoredSetup(flags: CheckFlags, stored: AgentTestSetup = {}): CheckFlags {
  const { operator, brand, account } = { ...stored, ...buyerOf(flags) };
  return {
    ...flags,
    ...(operator !== undefined && { operator }),
    ...(brand !== undefined && { brand: brand.domain }),
    ...(account !== undefined && { account: account.account_id }),
  };
}
