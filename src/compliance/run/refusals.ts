import { elements, isObject, member } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { shortText } from '../../domain/text.ts';
import { codeOf, saidNo } from '../checks/answers.ts';
import { hideSecrets } from '../conversation/evidence.ts';
import type { BlockingRefusal } from '../run-result.ts';
import { type Step, stepKey } from '../storyboard.ts';
import type { RunState } from './run-state.ts';

/** Codes about who calls or pays: accounts, brands, operators, billing and permissions of the public protocol and ours. */
const OF_THE_PARTY =
  /ACCOUNT|BRAND|OPERATOR|BILLING|ADVERTISER|AGENT_(?:BLOCKED|SUSPENDED)|PERMISSION|FORBIDDEN/i;
/** Places of a request that name them. */
const PARTY_PLACE = /^\/(?:accounts?|brand|operator)(?:\/|$)/;
const MAX_WORDS = 300;
const MAX_NOTED = 1_000;

/** Notes that the agent refused the account, brand or operator of a step that expected success. */
export function noteRefusal(
  state: RunState,
  { step, key }: { readonly step: Step; readonly key: string },
  answer: TaskAnswer,
): void {
  if (step.expectsError || step.mayRefuse || step.auth !== 'given' || state.refusals.length >= MAX_NOTED)
    return;
  const refusal = saidNo(answer) ? refusalOf(answer) : refusedAccount(step.task, answer);
  if (refusal === undefined) return;
  const { code, message } = refusal;
  const words = shortText(hideSecrets(message), MAX_WORDS) ?? '';
  state.refusals.push({ step: key, task: step.task, ...(code !== undefined && { code }), message: words });
}

interface Refusal {
  readonly code?: string;
  readonly message: string;
}

function refusalOf(answer: TaskAnswer): Refusal | undefined {
  if (answer.outcome === 'failed') return undefined;
  const code = codeOf(answer);
  const place = answer.outcome === 'refused' ? (answer.error.pointer ?? '') : '';
  if (!OF_THE_PARTY.test(code ?? '') && !PARTY_PLACE.test(place)) return undefined;
  const first = answer.outcome === 'answered' ? elements(answer.data.errors)[0] : undefined;
  const message = answer.outcome === 'refused' ? answer.error.message : member(first, 'message');
  return { ...(code !== undefined && { code }), message: typeof message === 'string' ? message : '' };
}

/** `sync_accounts` answers account by account: one that is rejected or failed carries its own errors. */
function refusedAccount(task: string, answer: TaskAnswer): Refusal | undefined {
  if (task !== 'sync_accounts' || answer.outcome !== 'answered') return undefined;
  const account = elements(answer.data.accounts).find(
    (one) => isObject(one) && (one.status === 'rejected' || one.action === 'failed'),
  );
  if (account === undefined) return undefined;
  const error = elements(member(account, 'errors'))[0];
  const code = member(error, 'code');
  const message = member(error, 'message');
  return {
    ...(typeof code === 'string' && { code }),
    message: typeof message === 'string' ? message : 'the account was rejected',
  };
}

/**
 * The first refusal because of which steps could not run, with those of all storyboards that met a refusal of the same code;
 * undefined when no refusal kept a step of its storyboard from running.
 */
export function blockingRefusal({ refusals, steps }: RunState): BlockingRefusal | undefined {
  for (const refusal of refusals) {
    const same = refusals.filter(({ code }) => code === refusal.code).map(({ step }) => step);
    // the id of a storyboard may have slashes of its own
    const storyboards = new Set(same.map((key) => key.split('/').slice(0, -2).join('/')));
    const skipped = steps.filter(
      ({ skip_reason: reason, storyboard_id: storyboard, phase_id: phase, step_id: id }) =>
        (reason === 'prerequisite_failed' && storyboards.has(storyboard)) ||
        (reason === 'requirement_unmet' && same.includes(stepKey(storyboard, phase, id))),
    ).length;
    if (skipped > 0) return { ...refusal, steps_skipped: skipped };
  }
  return undefined;
}
