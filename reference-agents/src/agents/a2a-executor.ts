import { type Part, Role, TaskState } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor } from '@a2a-js/sdk/server';
import { problem } from 'agent-registry/agent-kit';
import type { TaskResult } from '../reference/run-task.ts';
import { isObject } from '../web/read-body.ts';
import { type Sender, senderOfUser } from './admission.ts';
import type { RunningAgent } from './running-agent.ts';

/** Runs the skill that a data part names, and answers with a finished task whose artifact holds the result. */
export function executor(agent: RunningAgent, inputKey: 'input' | 'parameters'): AgentExecutor {
  return {
    async execute({ taskId, contextId, userMessage, context }, bus) {
      const result = await runSkill(agent, userMessage.parts, inputKey, senderOfUser(context.user));
      bus.publish(
        AgentEvent.task({
          id: taskId,
          contextId,
          status: { state: stateOf(result), message: undefined, timestamp: undefined },
          artifacts: [artifact(result)],
          history: [{ ...userMessage, role: Role.ROLE_USER }],
          metadata: undefined,
        }),
      );
      bus.finished();
    },
    async cancelTask() {
      // Every task is finished when it is answered.
    },
  };
}

async function runSkill(
  agent: RunningAgent,
  parts: readonly Part[],
  inputKey: 'input' | 'parameters',
  { caller, refusal }: Sender,
): Promise<TaskResult> {
  if (refusal !== undefined) return { ok: false, error: refusal };
  const data = parts
    .map(({ content }) => (content?.$case === 'data' ? content.value : undefined))
    .find(isObject);
  if (typeof data?.skill !== 'string') return invalid('a data part with a skill is expected');
  const input = data[inputKey];
  return isObject(input) ? agent.call(data.skill, input, caller) : invalid(`${inputKey} must be an object`);
}

/** What is wrong with the message around the task, which has no pointer into the task's own request. */
function invalid(message: string): TaskResult {
  return { ok: false, error: problem('INVALID_REQUEST', message) };
}

function stateOf(result: TaskResult): TaskState {
  return result.ok ? TaskState.TASK_STATE_COMPLETED : TaskState.TASK_STATE_FAILED;
}

function artifact(result: TaskResult) {
  const value = result.ok ? result.data : { ...result.error };
  const text = result.ok ? 'Here is the answer.' : result.error.message;
  return {
    artifactId: 'result',
    name: 'result',
    description: '',
    parts: [
      part({ $case: 'text', value: text }, 'text/plain'),
      part({ $case: 'data', value }, 'application/json'),
    ],
    metadata: undefined,
    extensions: [],
  };
}

function part(content: NonNullable<Part['content']>, mediaType: string): Part {
  return { content, mediaType, filename: '', metadata: undefined };
}
