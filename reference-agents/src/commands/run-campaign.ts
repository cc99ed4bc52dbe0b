import { type Protocol, RegistryError } from '@agent-registry/surface/agent-kit';
import {
  type AgentStateFlag,
  configOf,
  EXIT,
  type ExitCode,
  failureHint,
  type JsonFlag,
  type NetworkFlags,
  networkOf,
  note,
  printJson,
  visible,
} from '@agent-registry/surface/command-line';
import { composeFetcher, openAgentStates, sqlitePath, systemClock } from '@agent-registry/surface/registry';
import { runCampaign } from '../buying/campaign.ts';
import { type OpenedCampaign, openCampaignParts } from '../buying/campaigns.ts';
import type { CampaignOutcome } from '../buying/plan.ts';
import { WEBHOOK } from '../buying/purchase.ts';
import { CampaignStopped, type KeptStep } from '../buying/walk.ts';
import { printCampaignEnd, printStep } from './print-campaign.ts';

export interface CampaignFlags extends NetworkFlags, JsonFlag, AgentStateFlag {
  readonly protocol?: Protocol;
  readonly seed: number;
  readonly id?: string;
  readonly budget?: number;
  readonly maxAmount?: number;
}

/** `agent-registry campaign`: 0 when it was walked to its end, 1 when an agent refused or somebody has to answer first. */
export async function campaignCommand(flags: CampaignFlags): Promise<ExitCode> {
  checkState(flags);
  const config = configOf({});
  const fetcher = composeFetcher(config, await networkOf(flags, config), systemClock);
  const states = openAgentStates(sqlitePath(flags.state));
  const said = flags.json === true ? () => undefined : printStep;
  try {
    const opened = await openCampaignParts(
      { states, fetcher, clock: systemClock, onStep: said, onWait: tellWait },
      flags,
    );
    const { campaigns, plan, parts } = opened;
    tellBeginning(opened);
    const outcome = await runCampaign(plan, parts);
    campaigns.finish(plan, outcome);
    if (flags.json) printJson(campaignJson(plan.id, outcome, parts.walk.steps()));
    else printCampaignEnd(outcome);
    return outcome.intact ? EXIT.ok : EXIT.findings;
  } catch (error) {
    if (!(error instanceof CampaignStopped)) throw error;
    tellStop(error, flags);
    return EXIT.findings;
  } finally {
    states.close();
    await fetcher.close();
  }
}

/** The webhooks of the sellers come to the sandbox, which hands them on in its state. */
function checkState({ state }: CampaignFlags): void {
  if (sqlitePath(state) !== ':memory:') return;
  throw new RegistryError('usage', 'an in-memory state is not shared with the sandbox', {
    hint: 'start the sandbox and the campaign with the same --state sqlite:PATH',
  });
}

function tellBeginning({ plan, protocol, resumed, others }: OpenedCampaign): void {
  note(visible(`${resumed ? 'continuing' : 'beginning'} ${plan.id} over ${protocol}`));
  if (others.length === 0) return;
  const named = others.slice(0, 5).join(', ');
  const more = others.length > 5 ? ` and ${others.length - 5} more` : '';
  note(visible(`other unfinished campaigns: ${named}${more}; continue one with --id`));
}

function tellWait(agent: string, { code, message }: { code: string; message: string }): void {
  const hint = failureHint(code, agent);
  note(visible(`waiting for ${agent}: ${message}${hint === undefined ? '' : `; hint: ${hint}`}`));
}

/** What agents say is in their words. */
function tellStop({ step, message, code }: CampaignStopped, { state }: CampaignFlags): void {
  note(visible(`stopped at ${step}: ${message} (${code}); run the same command again to continue`));
  if (step === WEBHOOK)
    note(visible(`hint: the campaign uses ${state}, which must be the --state of the sandbox`));
}

/** As in schemas/cli/campaign.json. */
function campaignJson(
  id: string,
  { mediaBuyId, delivery, ...rest }: CampaignOutcome,
  steps: readonly KeptStep[],
) {
  return {
    campaign_id: id,
    media_buy_id: mediaBuyId,
    product: rest.product,
    impressions: delivery.impressions,
    clicks: delivery.clicks,
    spend: delivery.spend,
    audit_entries: rest.auditEntries,
    audit_intact: rest.intact,
    steps: steps.map(({ name, task, agent, request, response }) => ({
      name,
      task,
      agent,
      request,
      response,
    })),
  };
}
