import {
  type AgentStates,
  type Clock,
  type Fetcher,
  openInbox,
  readSigningKey,
} from 'agent-registry/agent-kit';
import { identityOf } from '../agents/agent.ts';
import { agentKeys } from '../keys.ts';
import { createRandom } from '../random.ts';
import { createCallTask } from './call-task.ts';
import { BUYER, type Campaigns, type CampaignTerms, openCampaigns, type TakenCampaign } from './campaigns.ts';
import type { CampaignParts } from './plan.ts';
import { openWalk, type WalkOptions } from './walk.ts';

export interface CampaignGround extends Pick<WalkOptions, 'onStep' | 'onWait'> {
  /** The state of the sandbox: the buying agent's own part of it is used, and no other. */
  readonly states: AgentStates;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
}

export interface CampaignChoice extends CampaignTerms {
  /** Of the sandbox. */
  readonly seed: number;
}

export interface OpenedCampaign extends TakenCampaign {
  readonly campaigns: Campaigns;
  readonly parts: CampaignParts;
}

/** Opens a campaign of the sandbox's buying agent: a new one, or one that was cut off. Rejects as `take` throws. */
export async function openCampaignParts(
  ground: CampaignGround,
  choice: CampaignChoice,
): Promise<OpenedCampaign> {
  const { states, fetcher, clock, ...heard } = ground;
  const state = states.of(identityOf(BUYER.url));
  const keys = agentKeys(createRandom(choice.seed).fork('keys'), new URL(BUYER.url).host);
  const key = await readSigningKey(keys.request);
  const campaigns = openCampaigns(state, clock.now);
  const taken = campaigns.take(choice);
  const call = createCallTask({ fetcher, clock, key, protocol: taken.protocol });
  const walk = openWalk({ campaign: taken.plan.id, state, clock, call, ...heard });
  const inbox = openInbox(state);
  return { campaigns, ...taken, parts: { walk, now: clock.now, received: inbox.list } };
}
