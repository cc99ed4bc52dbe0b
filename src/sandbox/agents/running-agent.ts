import type { AgentFacts, AgentSpec } from './agent.ts';
import { capabilitiesTask } from './capabilities.ts';
import { TASKS } from './tasks/tables.ts';
import type { TaskResult, TaskTable } from './tasks/task.ts';

/** An agent that answers tasks, whatever transport it is spoken to over. */
export interface RunningAgent {
  readonly spec: AgentSpec;
  readonly tasks: TaskTable;
  /** Never throws: an unknown task is an error of the protocol. */
  call(task: string, input: Readonly<Record<string, unknown>>): TaskResult;
}

/** Puts together an agent from its spec, what it says of itself, and the task table of its type. */
export function createAgent(spec: AgentSpec, facts: AgentFacts): RunningAgent {
  const own = Object.entries(TASKS[spec.type]).filter(([name]) => spec.without?.includes(name) !== true);
  const tasks: TaskTable = { ...capabilitiesTask(facts.vocabulary), ...Object.fromEntries(own) };
  return {
    spec,
    tasks,
    call(name, input) {
      const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
      return task === undefined ? unknownTask(name) : task.run(input, { spec, facts });
    },
  };
}

function unknownTask(name: string): TaskResult {
  return {
    ok: false,
    error: { code: 'INVALID_REQUEST', message: `no task is called ${name}`, recovery: 'correctable' },
  };
}
