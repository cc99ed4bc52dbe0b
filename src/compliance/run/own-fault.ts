import type { TaskAnswer } from '../../calling/connection.ts';
import { OF_THE_NETWORK } from '../../domain/observation.ts';
import { NOT_SAVED } from '../conversation/saved-run.ts';
import type { StepAuth } from '../storyboard.ts';
import { isOver, type RunState, stopRun } from './run-state.ts';

/**
 * Whether a call came to nothing by a fault of ours: then the run is stopped, and the agent is not judged by it.
 * `cut` says that the call had less time than a step has, as the run was near its end.
 */
export async function isOwnFault(state: RunState, answer: TaskAnswer, cut: boolean): Promise<boolean> {
  if (answer.outcome !== 'failed') return false;
  const { errorClass, message } = answer.failure;
  if (message === NOT_SAVED) {
    stopRun(state, 'own_fault', NOT_SAVED);
    return true;
  }
  if (cut && errorClass === 'timeout') stopRun(state, 'own_deadline', 'the time for the run was over');
  if (isOver(state)) return true;
  const doubtful = OF_THE_NETWORK.includes(errorClass) && answer.status === undefined;
  if (!doubtful || state.control === undefined || (await state.control())) return false;
  stopRun(state, 'own_network', 'our own way to the network did not work either');
  return true;
}

/** The agent asks for credentials where none were given: the step says nothing of it. */
export function wantsCredential(answer: TaskAnswer, auth: StepAuth, hasCredential: boolean): boolean {
  if (hasCredential || auth !== 'given') return false;
  if (answer.outcome === 'failed') return answer.failure.errorClass === 'auth_required';
  if (answer.outcome === 'answered') return false;
  return /^(auth_required|auth_missing|unauthori[sz]ed|authentication_required)$/i.test(
    answer.error.code ?? '',
  );
}
