import { decideRun } from '../../compliance/decide.ts';
import type { ComplianceRun } from '../../compliance/run-result.ts';
import { judge } from '../../compliance/verdict/verdict-of.ts';
import { type Store, systemClock } from '../../compose.ts';
import { deriveStored } from '../../discovery/derive-stored.ts';
import { RegistryError } from '../../errors.ts';
import { stitchToTheEnd } from '../../indexing/keep-indexed.ts';
import type { CheckFlags } from '../commands/check.ts';
import type { ExitCode } from '../exit-codes.ts';
import { readAgentUrl } from '../input/read-agent-url.ts';
import { WRITE, withStore } from '../with-store.ts';

/** Where a run was recorded. */
export interface Recorded {
  /** The agent as the registry knows it. */
  readonly agent_url: string;
  /** The path of its compliance operation. */
  readonly compliance_path: string;
}

export type RecordRun = (run: ComplianceRun) => Promise<Recorded>;

/**
 * Opens the store before the run, so that nobody waits for a run that cannot be recorded, and gives the work what
 * records it. `usage` for flags that make no record and for an agent that opted out, `not_found` for one never heard of.
 */
export function withRecording(
  url: string | undefined,
  flags: CheckFlags,
  work: (record: RecordRun) => Promise<ExitCode>,
): Promise<ExitCode> {
  const agent = recordable(url, flags);
  return withStore(flags, WRITE, async (store) => {
    const state = await store.records.compliance.state(agent);
    if (state === undefined) throw neverHeardOf(agent);
    if (state.settings.optedOut) throw optedOut(agent);
    return work((run) => record(store, agent, run));
  });
}

function recordable(url: string | undefined, { replay, storyboards }: CheckFlags): string {
  if (replay !== undefined)
    throw new RegistryError('usage', '--record does not go with --replay: nothing is tested by a replay', {
      hint: 'run the check against the agent itself',
    });
  if (storyboards !== undefined)
    throw new RegistryError(
      'usage',
      "--record does not go with --storyboards: verdicts follow from the registry's own",
      {
        hint: 'leave one of the two away',
      },
    );
  if (url === undefined)
    throw new RegistryError('usage', 'no agent is named', { hint: 'give its url as the registry knows it' });
  return readAgentUrl(url, 'checked');
}

async function record(store: Store, agent: string, report: ComplianceRun): Promise<Recorded> {
  const now = systemClock.now();
  const run = judge(report);
  const decide = decideRun(run, { now });
  const wanted = { agent, run: { ...run, started_at: report.started_at }, report };
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
  await stitchToTheEnd({ ...store, clock: systemClock, rederive: deriveStored });
  const compliance_path = `/api/registry/agents/${encodeURIComponent(agent)}/compliance`;
  return { agent_url: agent, compliance_path };
}

function neverHeardOf(agent: string): RegistryError {
  return new RegistryError(
    'not_found',
    `the registry has never heard of ${agent}, so nothing can be recorded`,
    {
      hint: 'register it first: registry agents register URL --member SLUG',
    },
  );
}

function optedOut(agent: string): RegistryError {
  return new RegistryError('usage', `the owner of ${agent} has opted out of tests, so none is recorded`, {
    hint: `it can be opted in again: registry agents settings ${agent} --opt-in`,
  });
}
