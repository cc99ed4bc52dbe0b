import { randomBytes } from 'node:crypto';
import type { AgentState } from '../../ports/agent-state.ts';
import { ROSTER } from '../agents/roster.ts';
import { BUYERS } from '../buyers.ts';
import type { CampaignAgents, CampaignOutcome, CampaignPlan } from './plan.ts';

/** A campaign of the buying agent, as it is kept. */
export interface StoredCampaign {
  readonly plan: CampaignPlan;
  readonly outcome?: CampaignOutcome;
}

/** Who the buying agent of the sandbox's campaigns is. */
export const BUYER = BUYERS[0] as (typeof BUYERS)[number];

/** The agents with which a campaign is made: the first of each type. */
export const CAMPAIGN_AGENTS: CampaignAgents = {
  buyer: BUYER.url,
  brand: firstOf('brand'),
  governance: firstOf('governance'),
  sales: firstOf('sales'),
  creative: firstOf('creative'),
};

/** The campaigns of a buying agent. */
export interface Campaigns {
  /** The one that is not finished, with this id where one is given; or else a new one. */
  take(id: string | undefined): { readonly plan: CampaignPlan; readonly resumed: boolean };
  finish(plan: CampaignPlan, outcome: CampaignOutcome): void;
}

export function openCampaigns(state: AgentState): Campaigns {
  const kept = state.collection<StoredCampaign>('campaigns');
  return {
    take(id) {
      const known = id === undefined ? unfinished() : kept.get(id);
      if (known !== undefined) return { plan: known.plan, resumed: true };
      const plan = newPlan(id ?? `campaign-${randomBytes(4).toString('hex')}`);
      kept.put(plan.id, { plan });
      return { plan, resumed: false };
    },
    finish: (plan, outcome) => kept.put(plan.id, { plan, outcome }),
  };

  function unfinished(): StoredCampaign | undefined {
    return kept.list().find(({ document }) => document.outcome === undefined)?.document;
  }
}

/** What the sandbox's buyer advertises: kayaks, to people on the coast. */
function newPlan(id: string): CampaignPlan {
  return {
    id,
    agents: CAMPAIGN_AGENTS,
    account: { brand: { domain: 'tidewater-kayaks.example' }, operator: BUYER.operator, sandbox: true },
    brief:
      'Kayaks for people who read local news by the sea: display on the papers of the coast, spring, 5,000 euros',
    refinement: 'cheaper, and display only',
    message: 'A kayak for the first warm weekend. Free delivery along the coast.',
    budget: 5_000,
    currency: 'EUR',
    startsIn: 3,
    days: 14,
  };
}

function firstOf(type: string): string {
  return ROSTER.find((spec) => spec.type === type)?.url ?? '';
}
