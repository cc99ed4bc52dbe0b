import { hash } from 'node:crypto';
import type {
  Account,
  GetMediaBuyDeliveryResponse,
  ReceivedWebhook,
} from '@agent-registry/surface/agent-kit';
import type { CampaignWalk } from './walk.ts';

/** The agents that a campaign needs. */
export interface CampaignAgents {
  readonly buyer: string;
  readonly brand: string;
  readonly governance: string;
  readonly sales: string;
  readonly creative: string;
}

/** What is to be advertised, and how. */
export interface CampaignPlan {
  readonly id: string;
  readonly agents: CampaignAgents;
  readonly account: Account;
  readonly brief: string;
  /** How the first offer is to be made better, in words. */
  readonly refinement: string;
  readonly message: string;
  readonly budget: number;
  /** What may be spent at once without asking a human. */
  readonly maxAmount: number;
  readonly currency: string;
  /** Seconds from the purchase to the start of the flight. */
  readonly startsIn: number;
  readonly days: number;
}

export interface CampaignParts {
  readonly walk: CampaignWalk;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The webhooks that the buying agent has received. */
  readonly received: () => readonly ReceivedWebhook[];
}

/** What a campaign came to. */
export interface CampaignOutcome {
  readonly mediaBuyId: string;
  readonly product: string;
  readonly delivery: GetMediaBuyDeliveryResponse;
  readonly auditEntries: number;
  /** Whether the audit log's chain of hashes holds. */
  readonly intact: boolean;
}

export const DAY_S = 86_400;

/** The plan under which a campaign is approved. */
export function planId({ id }: CampaignPlan): string {
  return `${id}-plan`;
}

/** The same for a step of a campaign whenever it is taken, so that a step that is taken twice has one effect. */
export function keyOf({ id }: CampaignPlan, step: string): string {
  return hash('sha256', `${id} ${step}`, 'base64url');
}

/** A time as it goes over the wire. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
