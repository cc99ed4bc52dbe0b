import { randomBytes } from 'node:crypto';
import {
  type AgentState,
  type AgentStates,
  type Clock,
  type Fetcher,
  openInbox,
  type Protocol,
  RegistryError,
  readSigningKey,
} from '@agent-registry/surface/agent-kit';
import { identityOf } from '../agents/agent.ts';
import { ROSTER } from '../agents/roster.ts';
import { BUYERS } from '../buyers.ts';
import { agentKeys } from '../keys.ts';
import { createRandom } from '../random.ts';
import { createCallTask } from './call-task.ts';
import type { CampaignAgents, CampaignOutcome, CampaignParts, CampaignPlan } from './plan.ts';
import { openWalk, type WalkOptions } from './walk.ts';

interface CampaignGround extends Pick<WalkOptions, 'onStep' | 'onWait'> {
  /** The state of the sandbox: the buying agent's own part of it is used, and no other. */
  readonly states: AgentStates;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
}

interface CampaignChoice extends CampaignTerms {
  /** Of the sandbox. */
  readonly seed: number;
}

export interface OpenedCampaign extends TakenCampaign {
  readonly campaigns: Campaigns;
  readonly parts: CampaignParts;
}

/** A campaign of the buying agent, as it is kept. */
interface StoredCampaign {
  readonly plan: CampaignPlan;
  /** How its agents are spoken to, from its first step to its last. */
  readonly protocol: Protocol;
  /** Epoch milliseconds. */
  readonly begunAt: number;
  readonly outcome?: CampaignOutcome;
}

/** Who the buying agent of the sandbox's campaigns is. */
const BUYER = BUYERS[0] as (typeof BUYERS)[number];

/** The agents with which a campaign is made: the first of each type. */
export const CAMPAIGN_AGENTS: CampaignAgents = {
  buyer: BUYER.url,
  brand: firstOf('brand'),
  governance: firstOf('governance'),
  sales: firstOf('sales'),
  creative: firstOf('creative'),
};

/** What is wanted of a campaign; what is left out is as it was begun, or as usual. */
interface CampaignTerms {
  readonly id?: string;
  /** Default: MCP. */
  readonly protocol?: Protocol;
  /** Whole euros. Default 5,000. */
  readonly budget?: number;
  /** What may be spent at once without asking a human, whole euros. Default: half as much again as the budget. */
  readonly maxAmount?: number;
}

interface TakenCampaign extends Pick<StoredCampaign, 'plan' | 'protocol'> {
  /** Whether it was begun before. */
  readonly resumed: boolean;
  /** Ids of others that are not finished, the newest first. */
  readonly others: readonly string[];
}

/** The campaigns of a buying agent. */
interface Campaigns {
  /**
   * The newest that is not finished, or the one with the id that is given; or else a new one. Throws a RegistryError
   * `usage` when it was begun on other terms.
   */
  take(terms: CampaignTerms): TakenCampaign;
  finish(plan: CampaignPlan, outcome: CampaignOutcome): void;
}

function openCampaigns(state: AgentState, now: () => number): Campaigns {
  const kept = state.collection<StoredCampaign>('campaigns');
  return {
    take(terms) {
      const open = unfinished();
      const known = terms.id === undefined ? open[0] : kept.get(terms.id);
      if (known !== undefined) checkTerms(known, terms);
      const taken = known ?? begun(terms);
      const others = open.map(({ plan }) => plan.id).filter((id) => id !== taken.plan.id);
      return { plan: taken.plan, protocol: taken.protocol, resumed: known !== undefined, others };
    },
    finish(plan, outcome) {
      const campaign = kept.get(plan.id);
      if (campaign !== undefined) kept.put(plan.id, { ...campaign, outcome });
    },
  };

  function begun(terms: CampaignTerms): StoredCampaign {
    const plan = newPlan(terms);
    const campaign = { plan, protocol: terms.protocol ?? 'mcp', begunAt: now() };
    kept.put(plan.id, campaign);
    return campaign;
  }

  function unfinished(): readonly StoredCampaign[] {
    return kept
      .list()
      .map(({ document }) => document)
      .filter(({ outcome }) => outcome === undefined)
      .toSorted((one, other) => other.begunAt - one.begunAt);
  }
}

/** What has been asked and answered stands: a campaign cannot go on as another one. */
function checkTerms({ plan, protocol }: StoredCampaign, terms: CampaignTerms): void {
  const { budget, maxAmount } = plan;
  for (const [name, had, wanted] of [
    ['protocol', protocol, terms.protocol],
    ['budget', budget, terms.budget],
    ['max-amount', maxAmount, terms.maxAmount],
  ])
    if (wanted !== undefined && wanted !== had)
      throw new RegistryError('usage', `campaign ${plan.id} was started with --${name} ${had}`, {
        hint: `omit --${name} to continue it, or start another campaign with --id NAME`,
      });
}

/** What the sandbox's buyer advertises: kayaks, to people on the coast. */
function newPlan({ id, budget = 5_000, maxAmount }: CampaignTerms): CampaignPlan {
  return {
    id: id ?? `campaign-${randomBytes(4).toString('hex')}`,
    agents: CAMPAIGN_AGENTS,
    account: { brand: { domain: 'tidewater-kayaks.example' }, operator: BUYER.operator, sandbox: true },
    brief: `Kayaks for people who read local news by the sea: display on the papers of the coast, spring, ${budget.toLocaleString('en-GB')} euros`,
    refinement: 'cheaper, and display only',
    message: 'A kayak for the first warm weekend. Free delivery along the coast.',
    budget,
    maxAmount: maxAmount ?? budget * 1.5,
    currency: 'EUR',
    startsIn: 3,
    days: 14,
  };
}

function firstOf(type: string): string {
  return ROSTER.find((spec) => spec.type === type)?.url ?? '';
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
