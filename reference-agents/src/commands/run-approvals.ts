import { userInfo } from 'node:os';
import { type AgentState, type AgentStates, RegistryError } from '@agent-registry/surface/agent-kit';
import {
  type AgentStateFlag,
  EXIT,
  type ExitCode,
  type JsonFlag,
  printJson,
  printLine,
  table,
  visible,
} from '@agent-registry/surface/command-line';
import { openAgentStates, sqlitePath, systemClock } from '@agent-registry/surface/registry';
import { checkOf, type StoredCheck } from '../reference/governance/check-store.ts';
import { answerCheck, releaseCheck, waitingChecks } from '../reference/governance/escalations.ts';

export interface ApprovalsFlags extends JsonFlag, AgentStateFlag {
  readonly agent?: string;
}

export interface DecideFlags extends ApprovalsFlags {
  readonly as?: string;
  readonly reason?: string;
}

export interface ApproveFlags extends DecideFlags {
  readonly condition: readonly string[];
  readonly upTo?: number;
}

/** A check with the agent that has it. */
interface Held {
  readonly agent: string;
  readonly check: StoredCheck;
}

/** `agent-registry approvals list`. */
export function listApprovals(flags: ApprovalsFlags): ExitCode {
  return withStates(flags, (states) => {
    const held = agentsOf(states, flags).flatMap((agent) =>
      waitingChecks(states.of(agent), systemClock.now()).map((check) => ({ agent, check })),
    );
    if (flags.json) printJson({ checks: held.map(shown) });
    else if (held.length === 0) printLine('no checks wait for a decision');
    else printLine(table(held.map(row)));
  });
}

/** `agent-registry approvals approve` and `deny`. */
export function answerCommand(checkId: string, flags: ApproveFlags, approved: boolean): ExitCode {
  const { reason, condition: conditions, upTo } = flags;
  return change(checkId, flags, (state, by, now) =>
    answerCheck(
      state,
      checkId,
      {
        approved,
        by,
        conditions,
        ...(reason !== undefined && { reason }),
        ...(upTo !== undefined && { upTo }),
      },
      now,
    ),
  );
}

/** `agent-registry approvals release`. */
export function releaseCommand(checkId: string, flags: DecideFlags): ExitCode {
  const { reason } = flags;
  return change(checkId, flags, (state, by, now) =>
    releaseCheck(state, checkId, { by, ...(reason !== undefined && { reason }) }, now),
  );
}

function change(
  checkId: string,
  flags: DecideFlags,
  work: (state: AgentState, by: string, now: number) => StoredCheck,
): ExitCode {
  return withStates(flags, (states) => {
    const agent = agentsOf(states, flags).find((one) => checkOf(states.of(one), checkId) !== undefined);
    if (agent === undefined)
      throw new RegistryError('not_found', `unknown check ${checkId.slice(0, 100)}`, {
        hint: 'list the checks with `agent-registry approvals list`',
      });
    const held = { agent, check: work(states.of(agent), flags.as ?? userInfo().username, systemClock.now()) };
    if (flags.json) printJson(shown(held));
    else printLine(visible(`${held.check.checkId}: ${stateOf(held.check)}${underConditions(held.check)}`));
  });
}

function underConditions({ escalation }: StoredCheck): string {
  const conditions = escalation?.answer?.conditions ?? [];
  return conditions.length === 0 ? '' : `, under: ${conditions.join('; ')}`;
}

function withStates(flags: ApprovalsFlags, work: (states: AgentStates) => void): ExitCode {
  const states = openAgentStates(sqlitePath(flags.state), { create: false });
  try {
    work(states);
    return EXIT.ok;
  } finally {
    states.close();
  }
}

function agentsOf(states: AgentStates, { agent, state }: ApprovalsFlags): readonly string[] {
  const known = states.agents();
  if (agent === undefined) return known;
  if (known.includes(agent)) return [agent];
  throw new RegistryError('not_found', `${state} has no agent ${agent}`, {
    hint: known.length === 0 ? 'the state has no agents' : `known agents: ${known.slice(0, 20).join(', ')}`,
  });
}

function stateOf({ escalation, approval }: StoredCheck): 'waiting' | 'approved' | 'denied' | 'released' {
  if (approval?.released) return 'released';
  const answer = escalation?.answer;
  if (answer === undefined) return approval === undefined ? 'waiting' : 'approved';
  return answer.approved ? 'approved' : 'denied';
}

/** As in schemas/cli/approvals.json. */
function shown({ agent, check }: Held) {
  const { escalation, cost, purpose } = check;
  const answer = escalation?.answer;
  return {
    check_id: check.checkId,
    agent,
    state: stateOf(check),
    plan_id: check.planId,
    plan_owner: check.owner,
    asked_by: check.askedBy,
    asked_at: new Date(check.askedAt).toISOString(),
    caller: check.caller,
    audience: check.audience ?? null,
    tool: check.tool,
    cost: cost === undefined ? null : { amount: cost / 100, currency: check.currency },
    reason: check.reason,
    purpose: purpose ?? null,
    approvers: escalation?.approvers ?? [],
    expires_at: escalation === undefined ? null : new Date(escalation.expiresAt).toISOString(),
    payload: escalation?.payload ?? null,
    decided_by: answer?.by ?? null,
    conditions: answer?.conditions ?? [],
  };
}

/** Plans and callers name themselves; a terminal must not act on what they write. */
function row({ check }: Held): readonly string[] {
  const { checkId, planId, tool, cost, currency, caller, reason, escalation } = check;
  const { approvers = [], expiresAt = check.askedAt } = escalation ?? {};
  const amount = cost === undefined ? 'unknown cost' : `${(cost / 100).toFixed(2)} ${currency}`;
  const by = approvers.length === 0 ? 'by any approver' : `by ${approvers.join(' or ')}`;
  const until = `until ${new Date(expiresAt).toISOString()}`;
  return [checkId, planId, tool, amount, caller, by, until, reason].map(visible);
}
