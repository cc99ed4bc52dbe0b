import { member } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { shortText } from '../../domain/text.ts';
import { mayChange, TEST_CONTROLLER } from '../conversation/consent.ts';
import type { Skip } from '../step-result.ts';
import type { Storyboard } from '../storyboard.ts';
import { effectiveAgent, isOver, isOwnFault, type RunState, wantsCredential } from './run-state.ts';

/** Puts the fixtures of a storyboard into the agent through its test controller; why that cannot be, else undefined. */
export async function seedFixtures(state: RunState, { id, fixtures }: Storyboard): Promise<Skip | undefined> {
  if (fixtures.length === 0) return undefined;
  if (!state.conversation.agent.test_controller)
    return {
      reason: 'missing_test_controller',
      detail: 'its fixtures need a test controller',
      coverage_gap: true,
    };
  const agent = effectiveAgent(state);
  for (const [index, { scenario, params }] of fixtures.entries()) {
    if (isOver(state) || state.exhausted !== undefined) return undefined; // its steps say so
    const payload = { scenario, params };
    const refused = mayChange({
      task: TEST_CONTROLLER,
      payload,
      agent,
      tools: state.tools,
      dryRun: state.dryRun,
    });
    if (refused !== undefined) return refused;
    const left = state.endsAt - state.clock.now();
    const outcome = await state.conversation.call({
      key: `${id}/fixtures/${index + 1}`,
      task: TEST_CONTROLLER,
      payload,
      auth: 'given',
      callMs: Math.max(1, Math.min(state.stepMs, left)),
    });
    const { answer } = outcome;
    const problem = problemOf(answer);
    if (problem === undefined) continue;
    if (await isOwnFault(state, outcome, left < state.stepMs))
      return skip('requirement_unmet', 'the run was stopped before it');
    if (wantsCredential(answer, 'given', state.hasCredential)) {
      state.wantsCredential = true;
      return skip('requirement_unmet', 'the agent asks for credentials, and none were given');
    }
    return {
      reason: 'fixture_unavailable',
      detail: `${scenario} was not carried out: ${problem}`,
      coverage_gap: true,
    };
  }
  return undefined;
}

function skip(reason: Skip['reason'], detail: string): Skip {
  return { reason, detail, coverage_gap: false };
}

function problemOf(answer: TaskAnswer): string | undefined {
  if (answer.outcome === 'failed') return answer.failure.errorClass;
  if (answer.outcome === 'refused') return shortText(answer.error.code, 64) ?? 'refused';
  if (member(answer.data, 'success') !== false) return undefined;
  return shortText(member(answer.data, 'error'), 64) ?? 'refused';
}
