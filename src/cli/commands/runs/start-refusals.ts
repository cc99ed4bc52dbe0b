import { nearestName } from '../../../base/near-names.ts';
import type { Config } from '../../../config.ts';
import { shellWord } from '../../../domain/shell-word.ts';
import { RegistryError } from '../../../errors.ts';
import type { Records } from '../../../ports/records.ts';
import type { RequestedRun } from '../../../records/runs/run-leases.ts';
import type { RunRequestOutcome } from '../../../records/runs/run-schedule.ts';
import { neverHeardOf } from '../../setup/compliance-state.ts';

/**
 * Rejects with a RegistryError `usage` for an id that no storyboard has of those that the agent is tested with. An unknown
 * agent is left to what refuses its run.
 */
export async function requireStoryboard(
  records: Pick<Records, 'agents' | 'bundles' | 'compliance'>,
  agent: string,
  id: string,
  { complianceTarget: fallback, bundles: folder }: Pick<Config, 'complianceTarget' | 'bundles'>,
): Promise<void> {
  const { bundlesOfAgent } = await import('../../../compliance/bundles/of-agent.ts');
  const { createBundleLibrary, createTestBundles } = await import('../../../compliance/bundles/library.ts');
  const state = await records.compliance.state(agent);
  if (state === undefined) return;
  const { plan } = await bundlesOfAgent(records, agent, state, fallback);
  const library = createBundleLibrary(folder);
  const bundles = createTestBundles({ library, installed: records.bundles, fallback });
  const { storyboards, version } = await bundles.open(plan.main.version);
  const ids = storyboards.map(({ storyboard }) => storyboard.id);
  if (ids.includes(id)) return;
  const near = nearestName(id, ids);
  throw new RegistryError(
    'usage',
    `--storyboard: unknown storyboard ${id.slice(0, 128)} (bundle ${version})`,
    {
      hint: near === undefined ? `available: ${ids.toSorted().join(', ')}` : `did you mean ${near}?`,
    },
  );
}

/** Why there is no run. */
export function runRefused(
  outcome: Extract<RunRequestOutcome, { ok: false }>,
  agent: string,
  member: string | undefined,
): RegistryError {
  switch (outcome.reason) {
    case 'cooldown': {
      const seconds = Math.ceil(outcome.waitMs / 1_000);
      return new RegistryError(
        'usage',
        `one test per 10 minutes: ${agent} was tested less than 10 minutes ago`,
        {
          hint: `try again in ${seconds} s, or test it now without recording: agent-registry check ${shellWord(agent)}`,
          retryable: true,
        },
      );
    }
    case 'other_open':
      return new RegistryError(
        'usage',
        `a run of ${storyboardsOf(outcome.asked)} is already queued or running`,
        {
          hint: `follow it with agent-registry runs show ${shellWord(agent)} ${outcome.asked.runId}, then try again`,
          retryable: true,
        },
      );
    case 'opted_out':
      return new RegistryError('usage', `the owner of ${agent} has opted out of tests`, {
        hint: `opt in again with agent-registry agents settings ${shellWord(agent)} --opt-in`,
      });
    case 'unknown_agent':
      return neverHeardOf(agent);
    case 'not_owned':
      return new RegistryError(
        'not_found',
        `no member has proven ownership of ${agent}, so there is no consent to tests`,
        {
          hint: `as the operator, use agent-registry check ${shellWord(agent)} --record; the owner proves ownership with agent-registry agents challenge`,
        },
      );
    default:
      return new RegistryError('not_found', `${member} has not proven ownership of ${agent}`, {
        hint: `start the proof with agent-registry agents challenge ${shellWord(agent)} --member ${member}`,
      });
  }
}

/** Why whoever waits for a run waits in vain. */
export function givenUp(agent: string, runId: string): RegistryError {
  return new RegistryError('not_found', `the run ${runId} of ${agent} was cancelled`, {
    hint: `the owner may have opted out or changed; see agent-registry audit --agent ${shellWord(agent)}`,
  });
}

function storyboardsOf({ storyboard, target }: RequestedRun): string {
  const boards = storyboard === undefined ? 'all storyboards' : `the storyboard ${storyboard}`;
  return target === undefined ? boards : `${boards} with the target ${target}`;
}
