import type { Protocol } from '../../domain/agent-type.ts';
import type { AgentStates } from '../../ports/agent-state.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Fetcher } from '../../ports/fetcher.ts';
import { readSigningKey } from '../../signing/private-key.ts';
import { openInbox } from '../../webhooks/inbox.ts';
import { identityOf } from '../agents/agent.ts';
import { agentKeys } from '../keys.ts';
import { createRandom } from '../random.ts';
import { createCallTask } from './call-task.ts';
import { BUYER, type Campaigns, openCampaigns } from './campaigns.ts';
import type { CampaignParts, CampaignPlan } from './plan.ts';
import { type KeptStep, openWalk } from './walk.ts';

export interface CampaignGround {
  /** The state of the sandbox: the buying agent's own part of it is used, and no other. */
  readonly states: AgentStates;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly onStep?: (step: KeptStep) => void;
}

export interface CampaignChoice {
  readonly protocol: Protocol;
  /** Of the sandbox. */
  readonly seed: number;
  readonly id?: string;
}

export interface OpenedCampaign {
  readonly campaigns: Campaigns;
  readonly plan: CampaignPlan;
  /** Whether it was begun before. */
  readonly resumed: boolean;
  readonly parts: CampaignParts;
}

/** Opens a campaign of the sandbox's buying agent: a new one, or one that was cut off. */
export async function openCampaignParts(
  ground: CampaignGround,
  choice: CampaignChoice,
): Promise<OpenedCampaign> {
  const { states, fetcher, clock, onStep } = ground;
  const state = states.of(identityOf(BUYER.url));
  const keys = agentKeys(createRandom(choice.seed).fork('keys'), new URL(BUYER.url).host);
  const key = await readSigningKey(keys.request);
  const call = createCallTask({ fetcher, clock, key, protocol: choice.protocol });
  const campaigns = openCampaigns(state);
  const { plan, resumed } = campaigns.take(choice.id);
  const walk = openWalk({ campaign: plan.id, state, clock, call, ...(onStep && { onStep }) });
  const inbox = openInbox(state);
  return { campaigns, plan, resumed, parts: { walk, now: clock.now, received: inbox.list } };
}
