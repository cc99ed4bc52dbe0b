import { type Policy, sameAgent } from '@agent-registry/surface/agent-kit';
import { hundredths } from '../amounts.ts';
import type { Opinion } from './decision.ts';
import { spends } from './payload-money.ts';
import { isWithin, type PayloadPlace } from './payload-places.ts';
import type { ReadQuestion } from './question.ts';

/** What a rule finds: places where a payload breaks it, or a condition, when the payload does not say enough. */
interface Judged {
  readonly broken?: readonly { readonly message: string; readonly pointer?: string }[];
  readonly unsaid?: string;
}

interface Rule {
  /** What the policy has to bring. */
  readonly needs: 'values' | 'limit';
  readonly judge: (policy: Policy, question: ReadQuestion) => Judged;
}

/** Broken places that are named; the rest would say nothing more. */
const NAMED = 20;

/** The rules that are known. A plan with another one is refused: what is not judged must not look as if it were. */
export const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['allowed_tasks', { needs: 'values', judge: allowedTasks }],
  ['allowed_agents', { needs: 'values', judge: allowedAgents }],
  ['blocked_domains', { needs: 'values', judge: blockedDomains }],
  [
    'allowed_channels',
    { needs: 'values', judge: (policy, question) => allowedPlaces('channels', policy, question) },
  ],
  [
    'allowed_countries',
    { needs: 'values', judge: (policy, question) => allowedPlaces('countries', policy, question) },
  ],
  ['max_package_budget', { needs: 'limit', judge: maxPackageBudget }],
  ['max_cpm', { needs: 'limit', judge: maxCpm }],
]);

/** What a policy of a plan makes of a question; nothing when it is kept. */
export function opinionsOf(policy: Policy, question: ReadQuestion): readonly Opinion[] {
  const rule = policy.rule === undefined ? undefined : RULES.get(policy.rule);
  if (rule === undefined) return spends(question.tool) ? [inWords(policy)] : [];
  const { broken = [], unsaid } = rule.judge(policy, question);
  const policyId = policy.policy_id;
  if (policy.enforcement === 'condition' && broken.length > 0)
    return [{ policyId, effect: 'condition', message: conditionOf(policy), ...at(broken[0]?.pointer) }];
  const { enforcement: effect } = policy;
  const opinions = broken.map(({ message, pointer }) => ({ policyId, effect, message, ...at(pointer) }));
  return unsaid === undefined || !spends(question.tool)
    ? opinions
    : [...opinions, { policyId, effect: 'condition', message: unsaid }];
}

/** A policy in words alone: a human judges it, or whoever acts has to keep it. */
function inWords(policy: Policy): Opinion {
  const { policy_id: policyId, enforcement } = policy;
  return enforcement === 'condition'
    ? { policyId, effect: 'condition', message: conditionOf(policy) }
    : { policyId, effect: 'escalate', message: `the policy ${policyId} requires a human decision` };
}

/** What has to be kept, in the words of the policy. */
export function conditionOf({ policy_id: id, description }: Policy): string {
  return description || `follow the policy ${id}`;
}

function allowedTasks({ values = [] }: Policy, { tool }: ReadQuestion): Judged {
  return values.includes(tool) ? {} : { broken: [{ message: 'the plan does not allow this task' }] };
}

function allowedAgents({ values = [] }: Policy, { audience, tool }: ReadQuestion): Judged {
  if (audience === undefined) return { unsaid: `only with these agents: ${values.join(', ')}` };
  return values.some((value) => sameAgent(value, audience)) || !spends(tool)
    ? {}
    : { broken: [{ message: 'the plan does not allow this agent' }] };
}

function blockedDomains({ values = [] }: Policy, { places }: ReadQuestion): Judged {
  const blocked = new Set(values.map((value) => value.toLowerCase()));
  const found = places.hosts.filter(({ value }) => isWithin(value, blocked)).slice(0, NAMED);
  const message = 'the payload contains a blocked domain';
  return { broken: found.map(({ pointer }) => ({ message, pointer })) };
}

function allowedPlaces(
  kind: 'channels' | 'countries',
  { values = [] }: Policy,
  { places }: ReadQuestion,
): Judged {
  return judgePlaces(kind, values, places[kind]);
}

/** Channels or countries that were said against those that are allowed. */
export function judgePlaces(
  kind: 'channels' | 'countries',
  allowed: readonly string[],
  said: readonly PayloadPlace[],
): Judged {
  if (said.length === 0) return { unsaid: `run only on these ${kind}: ${allowed.join(', ')}` };
  const known = new Set(allowed.map((value) => value.toLowerCase()));
  const message = `the plan does not allow one of the ${kind}`;
  return {
    broken: said
      .filter(({ value }) => !known.has(value.toLowerCase()))
      .slice(0, NAMED)
      .map(({ pointer }) => ({ message, pointer })),
  };
}

function maxPackageBudget({ limit = 0 }: Policy, { money }: ReadQuestion): Judged {
  const message = `a package has more than ${limit}`;
  return {
    broken: money.lines
      .filter(({ budget }) => budget > hundredths(limit))
      .slice(0, NAMED)
      .map(({ pointer }) => ({ message, pointer })),
  };
}

/** Prices are in the seller's catalogue, not in a payload. */
function maxCpm({ limit = 0 }: Policy): Judged {
  return { unsaid: `pay at most ${limit} per thousand impressions` };
}

function at(pointer: string | undefined): { readonly pointer?: string } {
  return pointer === undefined ? {} : { pointer };
}
