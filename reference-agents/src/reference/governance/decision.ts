import type { CheckGovernanceResponse } from '@agent-registry/surface/agent-kit';

export type Decision = CheckGovernanceResponse['decision'];
export type PolicyFinding = NonNullable<CheckGovernanceResponse['findings']>[number];

/** What a rule makes of a payload. */
export interface Opinion {
  /** The policy of the plan, or `plan.budget` and the like for what the plan says itself. */
  readonly policyId: string;
  /** `note` changes nothing. */
  readonly effect: 'deny' | 'escalate' | 'condition' | 'note';
  /** One sentence; for a condition, what has to be kept. */
  readonly message: string;
  /** JSON Pointer into the payload. */
  readonly pointer?: string;
}

export interface PlanJudgement {
  readonly decision: Decision;
  readonly reason: string;
  readonly conditions: readonly string[];
  readonly findings: readonly PolicyFinding[];
}

/** Places in an answer (check_governance-response.json). */
const MOST = 100;

const SEVERITY = { deny: 'error', escalate: 'warning', condition: 'info', note: 'info' } as const;
const WEIGHT = { deny: 0, escalate: 1, condition: 2, note: 3 } as const;

/**
 * The decision that follows from all opinions: one that denies denies, then one that escalates asks a human, then
 * conditions are conditions. With `answered` a human has already said yes to what escalates; to a denial nobody can.
 */
export function decide(opinions: readonly Opinion[], answered: boolean): PlanJudgement {
  const heard = answered ? opinions.map(asNote) : opinions;
  const sorted = heard.toSorted((one, other) => WEIGHT[one.effect] - WEIGHT[other.effect]);
  const findings = sorted.slice(0, MOST).map(findingOf);
  const of = (effect: Opinion['effect']) => [
    ...new Set(heard.filter((opinion) => opinion.effect === effect).map(({ message }) => message)),
  ];
  const [denials, doubts, conditions] = [of('deny'), of('escalate'), of('condition').slice(0, MOST)];
  if (denials.length > 0) return { decision: 'denied', reason: sentence(denials), conditions: [], findings };
  if (doubts.length > 0) return { decision: 'escalated', reason: sentence(doubts), conditions: [], findings };
  const within = 'within the budget, the policies and the authority of the plan';
  const reason = answered ? 'approved by a human' : within;
  return conditions.length > 0
    ? { decision: 'approved_with_conditions', reason, conditions, findings }
    : { decision: 'approved', reason, conditions, findings };
}

export function isApproval(decision: Decision): boolean {
  return decision === 'approved' || decision === 'approved_with_conditions';
}

function asNote(opinion: Opinion): Opinion {
  return opinion.effect === 'escalate' ? { ...opinion, effect: 'note' } : opinion;
}

function findingOf({ policyId, effect, pointer, message }: Opinion): PolicyFinding {
  return {
    policy_id: policyId,
    severity: SEVERITY[effect],
    ...(pointer !== undefined && { pointer }),
    message: message.slice(0, 2_000),
  };
}

/** The first three say enough; all of them are in the findings. */
function sentence(messages: readonly string[]): string {
  const shown = messages.slice(0, 3).map((message) => message.slice(0, 2_000));
  const more = messages.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
