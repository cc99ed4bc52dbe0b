import { composeFetcher, openAgentStates, sqlitePath, systemClock } from '../../compose.ts';
import { runCampaign } from '../../sandbox/buying/campaign.ts';
import { openCampaignParts } from '../../sandbox/buying/open-campaign.ts';
import type { CampaignOutcome } from '../../sandbox/buying/plan.ts';
import { CampaignStopped, type KeptStep } from '../../sandbox/buying/walk.ts';
import type { CampaignFlags } from '../commands/campaign.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { note, printJson } from '../output/print.ts';
import { printCampaignEnd, printStep } from '../output/print-campaign.ts';
import { networkOf, settingsOf } from '../settings.ts';

/** `registry campaign`: 0 when it was walked to its end, 1 when an agent refused or somebody has to answer first. */
export async function campaignCommand(flags: CampaignFlags): Promise<ExitCode> {
  const config = settingsOf({});
  const fetcher = composeFetcher(config, await networkOf(flags, config), systemClock);
  const states = openAgentStates(sqlitePath(flags.state));
  const said = flags.json === true ? () => undefined : printStep;
  try {
    const { campaigns, plan, resumed, parts } = await openCampaignParts(
      { states, fetcher, clock: systemClock, onStep: said },
      flags,
    );
    note(`${resumed ? 'going on with' : 'beginning'} ${plan.id} over ${flags.protocol}`);
    const outcome = await runCampaign(plan, parts);
    campaigns.finish(plan, outcome);
    if (flags.json) printJson(campaignJson(plan.id, outcome, parts.walk.steps()));
    else printCampaignEnd(outcome);
    return outcome.intact ? EXIT.ok : EXIT.findings;
  } catch (error) {
    if (!(error instanceof CampaignStopped)) throw error;
    note(`stopped at ${error.step}: ${error.message} (${error.code}); the same command goes on from there`);
    return EXIT.findings;
  } finally {
    states.close();
    await fetcher.close();
  }
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
