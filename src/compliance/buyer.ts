import { isObject, type JsonObject, member } from '../base/json.ts';
import type { AgentTestSetup } from '../domain/compliance.ts';
import type { RunOptions } from './run/run-agent.ts';
import type { Step, Storyboard } from './storyboard.ts';
import type { Bundle } from './storyboards/bundle.ts';
import { placeholdersIn } from './storyboards/expressions.ts';

/** What a registry tests all agents with. */
export interface BuyerSetup extends Pick<RunOptions, 'testKit'> {
  /** `isEmbedded` is false for a bundle that was made elsewhere: its samples name a buyer of its own. */
  readonly bundle: Bundle & { readonly isEmbedded?: boolean };
  /** The values of `testKit` that the operator configured, without defaults. */
  readonly configured?: AgentTestSetup;
}

/**
 * The setup for the run of one agent. The buyer that was configured for this agent comes before the registry's own; both take
 * the place of the buyer that the samples of the bundle name.
 */
export function setupFor<Setup extends BuyerSetup>(
  { configured, ...setup }: Setup,
  own: AgentTestSetup = {},
): Omit<Setup, 'configured'> & Pick<RunOptions, 'operator'> {
  const buyer = { ...configured, ...own };
  const { operator } = buyer;
  return {
    ...setup,
    bundle: forBuyer(setup.bundle, buyer),
    testKit: { ...setup.testKit, ...buyer },
    // our own bundle asks for the operator with $test_kit, and names others on purpose
    ...(setup.bundle.isEmbedded === false && operator !== undefined && { operator }),
  };
}

/** Chooses as `choose` does, and sets up the chosen bundle for the buyer of the agent. */
export function choiceFor(
  setup: BuyerSetup,
  own: AgentTestSetup | undefined,
  choose: NonNullable<RunOptions['choose']>,
): NonNullable<RunOptions['choose']> {
  return async (agent) => {
    const found = await choose(agent);
    const { bundle, operator } = setupFor({ ...setup, bundle: found.bundle }, own);
    return { ...found, bundle, ...(operator !== undefined && { operator }) };
  };
}

/** The bundle with this brand and account in its samples; the same bundle if neither is given. */
function forBuyer<Kind extends Bundle>(bundle: Kind, { brand, account }: AgentTestSetup): Kind {
  if (brand === undefined && account === undefined) return bundle;
  const storyboards = bundle.storyboards.map(({ storyboard, ...entry }) => {
    const branded = brand === undefined ? storyboard : withBrand(storyboard, brand.domain);
    const named = account === undefined ? branded : withAccount(branded, account);
    return { ...entry, storyboard: named };
  });
  return { ...bundle, storyboards };
}

/** Replaces the brand of the test kit, wherever a sample names it; other brands are named on purpose. */
function withBrand(storyboard: Storyboard, domain: string): Storyboard {
  const { brand } = storyboard.testKit;
  const sample = member(brand, 'domain') ?? member(member(brand, 'house'), 'domain');
  if (typeof sample !== 'string') return storyboard;
  const replace = (request: JsonObject) =>
    mapMembers(request, 'brand', (one) => (one.domain === sample ? { ...one, domain } : one));
  return mapSteps(storyboard, ({ request, publicRequest }) => ({
    request: replace(request),
    ...(publicRequest && { publicRequest: replace(publicRequest) }),
  }));
}

/**
 * Names the account in every sample that is sent on the buyer's account. Agents of the public vocabulary are given the id
 * alone, as their schema demands (core/account-ref.json), and others the id beside brand and operator.
 */
function withAccount(storyboard: Storyboard, { account_id }: { readonly account_id: string }): Storyboard {
  return mapSteps(storyboard, (step) => {
    const beside = (request: JsonObject) =>
      mapMembers(request, 'account', (one) => (isBuyers(one, step) ? { ...one, account_id } : one));
    const alone = (request: JsonObject) =>
      mapMembers(request, 'account', (one) => (isBuyers(one, step) ? { account_id } : one));
    return {
      request: beside(step.request),
      publicRequest: { ...alone(step.request), ...alone(step.publicRequest ?? {}) },
    };
  });
}

/**
 * True for the sample of an account that stands for the buyer's. An account that an earlier answer named is kept, and so is
 * one that the agent is to refuse, unless it asks for our own operator.
 */
function isBuyers(account: JsonObject, { expectsError }: Step): boolean {
  const { account_id: id, brand, operator } = account;
  if (operator === '$test_kit.operator') return true;
  if (expectsError) return false;
  if (typeof id === 'string') return placeholdersIn(id).length === 0;
  return isObject(brand) && typeof operator === 'string';
}

function mapSteps(storyboard: Storyboard, change: (step: Step) => Partial<Step>): Storyboard {
  const phases = storyboard.phases.map((phase) => ({
    ...phase,
    steps: phase.steps.map((step) => ({ ...step, ...change(step) })),
  }));
  return { ...storyboard, phases };
}

/** Replaces every object that is a member of this name, at any depth. */
function mapMembers(value: JsonObject, name: string, change: (one: JsonObject) => JsonObject): JsonObject {
  const inside = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(inside);
    if (!isObject(one)) return one;
    const entries = Object.entries(one).map(([key, child]) => {
      const mapped = inside(child);
      return [key, key === name && isObject(mapped) ? change(mapped) : mapped];
    });
    return Object.fromEntries(entries);
  };
  return inside(value) as JsonObject;
}
