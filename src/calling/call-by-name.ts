import { VOCABULARIES, VOCABULARY_NAMES } from '../protocol/vocabulary.ts';
import type { AgentConnection, TaskAnswer, TaskOptions } from './connection.ts';
import { CallFailure, settle } from './failure.ts';

/** The answer, and the name under which the agent was asked. */
export interface NamedAnswer {
  readonly name: string;
  readonly answer: TaskAnswer;
}

/**
 * Calls a task. The capabilities task, whose name depends on the vocabulary, is called by the name that the agent
 * lists; by the given one and then the other where it lists neither and may hide tasks. Never rejects.
 */
export async function callByName(
  connection: AgentConnection,
  task: string,
  payload: unknown,
  options: TaskOptions = {},
): Promise<NamedAnswer> {
  const [first = task, second] = await namesOf(connection, task);
  const answer = await connection.callTask(first, payload, options);
  if (second === undefined || answer.outcome !== 'refused') return { name: first, answer };
  const other = await connection.callTask(second, payload, options);
  return other.outcome === 'answered' ? { name: second, answer: other } : { name: first, answer };
}

const CAPABILITIES_TASKS = VOCABULARIES.map((one) => VOCABULARY_NAMES[one].capabilitiesTask);

async function namesOf(connection: AgentConnection, task: string): Promise<readonly string[]> {
  if (!CAPABILITIES_TASKS.includes(task)) return [task];
  const tasks = await tasksOf(connection);
  if (tasks === undefined) return [task];
  const others = CAPABILITIES_TASKS.filter((name) => name !== task);
  const listed = [task, ...others].filter((name) => tasks.has(name));
  if (listed.length > 0) return listed.slice(0, 1);
  return connection.mayHideTasks ? [task, ...others] : [task];
}

/** By connection: to ask for the list again before each call would double the requests to the agent. */
const known = new WeakMap<AgentConnection, ReadonlySet<string>>();

async function tasksOf(connection: AgentConnection): Promise<ReadonlySet<string> | undefined> {
  const listed = known.get(connection);
  if (listed !== undefined) return listed;
  const tools = await settle(connection.listTools());
  if (tools instanceof CallFailure) return undefined;
  const names = new Set(tools.map((tool) => tool.name));
  known.set(connection, names);
  return names;
}
