import { type Part, Role, type Task, TaskState } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  InMemoryTaskStore,
  type ServerCallContext,
  type TaskStore,
} from '@a2a-js/sdk/server';
import { isObject, type Problem, problem } from '@agent-registry/surface/agent-kit';
import type { TaskResult } from '../reference/run-task.ts';
import { type Sender, senderOfUser } from './admission.ts';
import type { RunningAgent } from './running-agent.ts';

/** Answers of one agent that can be asked for again over A2A: the latest ones within both bounds. */
const MAX_TASKS = 500;

/** In JSON, characters. All agents of the sandbox together stay below 64 MiB. */
const MAX_CHARACTERS = 2_000_000;

interface Kept {
  readonly owner: string;
  readonly task: Task;
  readonly size: number;
}

type ListParameters = Parameters<TaskStore['list']>;

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
  if (refusal !== undefined) return agent.refuse(refusal);
  const data = parts
    .map(({ content }) => (content?.$case === 'data' ? content.value : undefined))
    .find(isObject);
  if (typeof data?.skill !== 'string')
    return agent.refuse(invalid('the message must have a data part with a skill'));
  // Old agents know one name only; the others read both.
  const input = data[inputKey] ?? (inputKey === 'input' ? data.parameters : undefined);
  return isObject(input)
    ? agent.call(data.skill, input, caller)
    : agent.refuse(invalid(`${inputKey} must be an object`));
}

/** What is wrong with the message around the task, which has no pointer into the task's own request. */
function invalid(message: string): Problem {
  return problem('INVALID_REQUEST', message);
}

function stateOf(result: TaskResult): TaskState {
  return result.ok ? TaskState.TASK_STATE_COMPLETED : TaskState.TASK_STATE_FAILED;
}

function artifact(result: TaskResult) {
  const value = result.ok ? result.data : { ...(result.shown ?? result.error) };
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

/**
 * A store of A2A tasks that forgets: an agent that runs for weeks must not keep each of its answers. It keeps what was
 * done for callers that it knows, without what they sent. Nobody can ask for a failed task or for one of an anonymous
 * caller again: the first says nothing that lasts, and the second would be for anybody to read.
 */
export function recentTasks(): TaskStore {
  const kept = new Map<string, Kept>();
  let size = 0;
  const forget = (id: string): void => {
    size -= kept.get(id)?.size ?? 0;
    kept.delete(id);
  };
  return {
    async save(task, context) {
      const owner = ownerOf(context);
      if (owner === undefined || task.status?.state !== TaskState.TASK_STATE_COMPLETED) return;
      const copy = structuredClone({ ...task, history: [] });
      const length = JSON.stringify(copy).length;
      forget(task.id);
      if (length > MAX_CHARACTERS) return;
      kept.set(task.id, { owner, task: copy, size: length });
      size += length;
      for (const id of kept.keys()) {
        if (size <= MAX_CHARACTERS && kept.size <= MAX_TASKS) break;
        forget(id);
      }
    },
    async load(id, context) {
      const found = kept.get(id);
      return found === undefined || found.owner !== ownerOf(context)
        ? undefined
        : structuredClone(found.task);
    },
    async list(params, context) {
      const owner = ownerOf(context);
      const own = [...kept.values()].filter((one) => owner !== undefined && one.owner === owner);
      const page = await pageOf(own, params, context);
      if (params.includeArtifacts !== true) return page;
      const artifactsOf = (id: string) => structuredClone(kept.get(id)?.task.artifacts ?? []);
      return { ...page, tasks: page.tasks.map((task) => ({ ...task, artifacts: artifactsOf(task.id) })) };
    },
  };
}

/** The SDK's own filters and pages, over tasks without their artifacts, so that a page costs only what is on it. */
async function pageOf(own: readonly Kept[], params: ListParameters[0], context: ServerCallContext) {
  const store = new InMemoryTaskStore();
  for (const { task } of own) await store.save({ ...task, artifacts: [] }, context);
  return store.list(params, context);
}

/** Undefined for whoever did not say who they are. */
function ownerOf({ user }: ServerCallContext): string | undefined {
  return user?.isAuthenticated === true ? user.userName : undefined;
}
