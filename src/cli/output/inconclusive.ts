import type { InconclusiveReason, JudgedRun } from '../../domain/judged-run.ts';
import { shellWord } from '../../domain/shell-word.ts';
import { quoted } from './again-command.ts';
import { shownText } from './show-value.ts';

interface Words {
  readonly why: string;
  /** What can be done about it, for an agent. */
  readonly todo: (agent: string, owner: string) => string;
}

/** Each reason in plain words. */
export const INCONCLUSIVE_WORDS: Readonly<Record<InconclusiveReason, Words>> = {
  own_deadline: {
    why: 'the time that a run may take was over before its last step',
    todo: (agent) => `see what takes so long: registry check ${shellWord(agent)} --deadline 1800`,
  },
  own_network: {
    why: 'our own network did not work: the control probe failed too',
    todo: () => 'nothing is to be done for the agent; look at the network of the machine that tests',
  },
  own_fault: {
    why: 'an error of ours ended it',
    todo: () => 'nothing is to be done for the agent; the log of the worker says what went wrong',
  },
  request_budget: {
    why: 'all requests that one run may send were used up',
    todo: (agent) => `see what asks so often: registry check ${shellWord(agent)}`,
  },
  auth_required: {
    why: 'the agent wants a credential or a signature, and none was given',
    todo: (agent, owner) =>
      `its owner stores one: registry agents credential ${shellWord(agent)} --member ${owner} --auth-env NAME; then registry runs start ${shellWord(agent)} tests it without waiting; a signature needs the key that runs are signed with (REGISTRY_TEST_KEY)`,
  },
  interrupted: {
    why: 'it was stopped before its end',
    todo: () => 'nothing is to be done: the next run takes its place',
  },
};

/** Why a run says nothing of the agent, and what can be done about it; nothing for one that does. */
export function inconclusiveLines(
  { inconclusive }: Pick<JudgedRun, 'inconclusive'>,
  agent: string,
  owner = 'SLUG',
): readonly string[] {
  if (inconclusive === undefined) return [];
  const { why, todo } = INCONCLUSIVE_WORDS[inconclusive.reason];
  return [
    `inconclusive (${inconclusive.reason}): ${why}; nothing is held against the agent`,
    ...(inconclusive.detail === '' ? [] : [`  ${shownText(inconclusive.detail)}`]),
    `  what to do: ${todo(quoted(agent), owner)}`,
  ];
}
