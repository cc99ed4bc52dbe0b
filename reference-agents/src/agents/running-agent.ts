import {
  type Problem,
  problem,
  RegistryError,
  type SelfContainedSchema,
  selfContainedSchema,
  type TaskName,
  taskNamed,
  VOCABULARY_NAMES,
} from '@agent-registry/surface/agent-kit';
import { publicRefusal } from '../dialect/errors.ts';
import { publicTasks, type Run, speakPublicly } from '../dialect/speak.ts';
import type { Caller, Handlers, ReferenceAgent } from '../reference/handler.ts';
import { HANDLERS } from '../reference/handlers.ts';
import { runTask, type TaskResult, unknownTask } from '../reference/run-task.ts';
import type { AgentProfile, AgentSpec } from './agent.ts';

const INPUT = {
  type: 'object',
  properties: { harbour: { type: 'string' } },
  required: [],
} as const;

/** Requests of the public protocol are told by its own schemas; clients leave out what a listed schema does not name. */
const ANYTHING = { type: 'object', properties: {} } as const;

/** The version whose schemas the agents publish and follow. */
const VERSION = '3.0.0';

/** A task as it is listed. */
interface ListedTask {
  readonly name: string;
  readonly description: string;
  readonly input: SelfContainedSchema;
}

/** An agent that answers tasks, whatever transport it is spoken to over. */
export interface RunningAgent {
  readonly spec: AgentSpec;
  readonly vocabulary: AgentProfile['vocabulary'];
  readonly tasks: readonly ListedTask[];
  /** The answer to a request that nobody looks at, in the form of the agent's vocabulary. */
  refuse(error: Problem): TaskResult;
  /** Never rejects: what is wrong with a request, or with the agent, is an answer too. */
  call(task: string, payload: unknown, caller: Caller): Promise<TaskResult>;
}

/** What an agent is made of. */
interface AgentParts {
  readonly reference: ReferenceAgent;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Hears of faults of the agent itself; its caller is told that there was one, and no more. */
  onFault(error: unknown): void;
}

/** Puts an agent together. Its tasks are those of its type, but for what its spec leaves out. */
export function createAgent(spec: AgentSpec, facts: AgentProfile, parts: AgentParts): RunningAgent {
  if (spec.type === 'unknown') return strangeAgent(spec);
  const handlers = offered(spec, facts);
  const own = Object.entries(handlers).map(([task, { description }]) =>
    listed(task as TaskName, description, facts),
  );
  const isPublic = facts.vocabulary === 'adcp';
  const more = isPublic ? Object.entries(publicTasks(spec)) : [];
  const tasks = [...own, ...more.map(([name, { description }]) => ({ name, description, input: ANYTHING }))];
  const names = tasks.map(({ name }) => name);
  const known = new Set(names.map((name) => taskNamed(name) ?? name));
  const run: Run = async (task, payload, caller, now) =>
    known.has(taskNamed(task) ?? task)
      ? runTask(parts.reference, handlers, task, payload, caller, now)
      : { ok: false, error: unknownTask(names) };
  const speak = isPublic ? speakPublicly(parts.reference, run) : run;
  const refuse = (error: Problem): TaskResult => ({
    ok: false,
    error,
    ...(isPublic && { shown: publicRefusal(error, '', undefined) }),
  });
  return {
    spec,
    vocabulary: facts.vocabulary,
    tasks,
    refuse,
    async call(task, payload, caller) {
      try {
        return await speak(task, payload, caller, parts.now());
      } catch (fault) {
        parts.onFault(fault);
        return refuse(faultAnswer(fault));
      }
    },
  };
}

/** A store that is locked for a moment is worth another try; nobody knows that of any other fault. */
function faultAnswer(fault: unknown): Problem {
  return fault instanceof RegistryError && fault.retryable
    ? problem('SERVICE_UNAVAILABLE', 'the agent cannot write at the moment; nothing was changed', {
        suggestion: 'retry the same request in a few seconds, with the same idempotency_key',
        retry_after: 5,
      })
    : problem('INTERNAL_ERROR', 'internal error of the agent; nothing was changed');
}

/** An agent that says nothing in the protocol's words has no capabilities task. */
function offered(spec: AgentSpec, facts: AgentProfile): Handlers {
  const left = Object.entries(HANDLERS[spec.type]).filter(
    ([task]) =>
      spec.without?.includes(task) !== true &&
      !(facts.vocabulary === 'none' && task === VOCABULARY_NAMES.proto.capabilitiesTask),
  );
  return Object.fromEntries(left) as Handlers;
}

function listed(task: TaskName, description: string, { vocabulary }: AgentProfile): ListedTask {
  const isCapabilities = task === taskNamed(VOCABULARY_NAMES.proto.capabilitiesTask);
  const name = isCapabilities && vocabulary === 'adcp' ? VOCABULARY_NAMES.adcp.capabilitiesTask : task;
  return { name, description, input: vocabulary === 'adcp' ? ANYTHING : inputSchema(task) };
}

const schemas = new Map<TaskName, SelfContainedSchema>();

/** Made once for all agents: they all list the same schema. */
function inputSchema(task: TaskName): SelfContainedSchema {
  const known = schemas.get(task);
  if (known !== undefined) return known;
  const made = selfContainedSchema(VERSION, task, 'request');
  schemas.set(task, made);
  return made;
}

/** What somebody built who never read the protocol. */
function strangeAgent(spec: AgentSpec): RunningAgent {
  return {
    spec,
    vocabulary: 'none',
    tasks: [{ name: 'tell_tide', description: 'Tells when the tide turns', input: INPUT }],
    refuse: (error) => ({ ok: false, error }),
    call: async (task) =>
      task === 'tell_tide'
        ? { ok: true, data: { high_water: '04:12' } }
        : { ok: false, error: unknownTask(['tell_tide']) },
  };
}
