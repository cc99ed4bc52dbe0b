import { isObject } from '../base/json.ts';
import type { Protocol } from '../domain/agent-type.ts';
import { ProvenOrigin } from '../domain/proven-origin.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher, GuardedFetch } from '../ports/fetcher.ts';
import { inPublicNames } from '../protocol/field-names.ts';
import { taskNamed } from '../protocol/tasks.ts';
import { CAPABILITIES_TASKS, VOCABULARY_NAMES } from '../protocol/vocabulary.ts';
import type { AgentConnection, TaskAnswer, TaskOptions } from './connection.ts';
import { CallFailure, isHopeless, mostInformative, settle } from './failure.ts';
import { type CallSession, openSession, type Pause } from './session.ts';

/** Each with its SDK when it is first spoken: to load both takes a third of the start of a command that may meet no agent. */
const HANDSHAKES: Readonly<Record<Protocol, (session: CallSession) => Promise<AgentConnection>>> = {
  mcp: async (session) => (await import('./mcp.ts')).speakMcp(session),
  a2a: async (session) => (await import('./a2a.ts')).speakA2a(session),
};

export interface ConnectOptions {
  /** The URL to dial, absolute. */
  readonly url: string;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  /**
   * Bearer token; it goes to the agent's own origin only, never over plain http, and stands in nothing that is
   * returned.
   */
  readonly auth?: string;
  /**
   * A discovery probe, which only reads: its redirects and the address of a card may lead to other hosts of the
   * registrable domain. Without it nothing leaves the origin of `url`, whatever is called.
   */
  readonly discovers?: true;
  /** Put around the guarded fetch for every request, a signing one for example. */
  readonly wrap?: (fetch: GuardedFetch) => GuardedFetch;
  /** Tried in this order; default MCP, then A2A. */
  readonly protocols?: readonly Protocol[];
  /** The loopback origin that the user typed as the command's argument. */
  readonly openOrigin?: string;
  /** The whole visit, milliseconds. */
  readonly deadlineMs: number;
  /** One call, milliseconds. Default 10,000. */
  readonly callMs?: number;
  /** Default 100. */
  readonly maxRequests?: number;
  /** Between two tries. Default: a timer. */
  readonly pause?: Pause;
  /** Stops the visit; what is then returned says nothing about the agent. */
  readonly signal?: AbortSignal;
}

/**
 * Takes the turn of the agent's domain, shakes hands, and runs `work` with the connection, or with the failure that
 * tells most; ends the connection afterwards. Rejects only when `work` does, and with a TypeError for a relative URL.
 */
export async function withConnection<T>(
  options: ConnectOptions,
  work: (connection: AgentConnection | CallFailure, session: CallSession) => Promise<T>,
): Promise<T> {
  const { fetcher, openOrigin, signal, deadlineMs, protocols = ['mcp', 'a2a'] } = options;
  const url = new URL(options.url);
  const origin = ProvenOrigin.of(options.url);
  const confined = options.discovers ? {} : { origin };
  const { auth, ...open } = options;
  const authenticated = auth !== undefined && origin.takesCredentials ? { auth } : {};
  const bounds = {
    host: url.hostname,
    deadlineMs,
    ...confined,
    ...(signal && { signal }),
    ...(openOrigin !== undefined && { openOrigin }),
  };
  return fetcher.visit(bounds, async (visit) => {
    const session = openSession({ ...open, ...authenticated, ...confined, url, visit });
    const connection = await shakeHands(session, protocols);
    if (connection instanceof CallFailure) return work(connection, session);
    try {
      return await work(connection, session);
    } finally {
      await connection.close();
    }
  });
}

/** The first of these protocols in which the handshake succeeds; else the failure that tells most. */
export async function shakeHands(
  session: CallSession,
  protocols: readonly Protocol[],
): Promise<AgentConnection | CallFailure> {
  const failures: CallFailure[] = [];
  for (const protocol of protocols) {
    const connection = await settle(HANDSHAKES[protocol](session));
    if (!(connection instanceof CallFailure)) return connection;
    failures.push(connection);
    if (isHopeless(connection)) break;
  }
  return mostInformative(failures);
}

/** The answer, and the name under which the agent was asked. */
interface NamedAnswer {
  readonly name: string;
  readonly answer: TaskAnswer;
}

/** By connection: to ask for the list again before each call would double the requests to the agent. */
const listedTasks = new WeakMap<AgentConnection, ReadonlySet<string>>();

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
  const answer = await connection.callTask(first, inItsWords(connection, task, payload), options);
  if (second === undefined || answer.outcome !== 'refused') return { name: first, answer };
  const other = await connection.callTask(second, payload, options);
  return other.outcome === 'answered' ? { name: second, answer: other } : { name: first, answer };
}

/** A request in the vocabulary that the agent declares, as far as that is known without asking once more. */
function inItsWords(connection: AgentConnection, task: string, payload: unknown): unknown {
  const known = taskNamed(task);
  const listed = listedTasks.get(connection);
  const isPublic =
    listed?.has(VOCABULARY_NAMES.adcp.capabilitiesTask) === true &&
    !listed.has(VOCABULARY_NAMES.proto.capabilitiesTask);
  return isPublic && known !== undefined && isObject(payload) ? inPublicNames(known, payload) : payload;
}

async function namesOf(connection: AgentConnection, task: string): Promise<readonly string[]> {
  if (!CAPABILITIES_TASKS.includes(task)) return [task];
  const tasks = await tasksOf(connection);
  if (tasks === undefined) return [task];
  const others = CAPABILITIES_TASKS.filter((name) => name !== task);
  const listed = [task, ...others].filter((name) => tasks.has(name));
  if (listed.length > 0) return listed.slice(0, 1);
  return connection.mayHideTasks ? [task, ...others] : [task];
}

async function tasksOf(connection: AgentConnection): Promise<ReadonlySet<string> | undefined> {
  const listed = listedTasks.get(connection);
  if (listed !== undefined) return listed;
  const tools = await settle(connection.listTools());
  if (tools instanceof CallFailure) return undefined;
  const names = new Set(tools.map((tool) => tool.name));
  listedTasks.set(connection, names);
  return names;
}
