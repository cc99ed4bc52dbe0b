import type { JsonObject } from '../../base/json.ts';
import { callByName } from '../../calling/call-by-name.ts';
import type { AgentConnection, TaskAnswer } from '../../calling/connection.ts';
import { CallFailure, settle } from '../../calling/failure.ts';
import { failedContentOf } from '../../calling/task-answer.ts';
import { taskNamed } from '../../protocol/tasks.ts';
import type { CallOutcome, Conversation, OutgoingCall } from './conversation.ts';
import type { Identities } from './identities.ts';
import { readAgent } from './read-agent.ts';
import type { RequestBudget } from './request-budget.ts';
import type { Redact } from './secrets.ts';

const CAPABILITIES = 'get_proto_capabilities';
/** Largest answer, bytes after decompression. */
const ANSWER_BYTES = 2 * 1024 * 1024;

export interface LiveOptions {
  readonly identities: Identities;
  readonly budget: RequestBudget;
  readonly redact: Redact;
  /** One call of the introduction, milliseconds. */
  readonly callMs: number;
}

/** Shakes hands, lists tools and asks for the capabilities; a CallFailure when the agent cannot be spoken to. */
export async function openConversation(options: LiveOptions): Promise<Conversation | CallFailure> {
  const { identities, budget, redact, callMs } = options;
  budget.beginStep('lists');
  const connection = await identities.connectionOf('given');
  if (connection instanceof CallFailure) return connection;
  const tools = await settle(connection.listTools());
  if (tools instanceof CallFailure) return tools;
  budget.beginStep('lists');
  const { answer } = await callByName(connection, CAPABILITIES, {}, { callMs, maxBytes: ANSWER_BYTES });
  const { protocol, endpoint, name } = connection;
  const heard = redact({
    protocol,
    endpoint,
    ...(name !== undefined && { name }),
    tools: tools.map((tool) => tool.name),
    capabilities: answer.outcome === 'answered' ? answer.data : undefined,
  });
  return {
    agent: readAgent(heard),
    capabilities: heard.capabilities ?? {},
    tools: heard.tools,
    call: (call) => callLive(options, call),
  };
}

async function callLive(
  { identities, budget, redact }: LiveOptions,
  { task, payload, auth, callMs }: OutgoingCall,
): Promise<CallOutcome> {
  // the name of the capabilities task is looked up in the list
  budget.beginStep(taskNamed(task) === CAPABILITIES ? 'lists' : undefined);
  const connection = await identities.connectionOf(auth);
  if (connection instanceof CallFailure) return { name: task, answer: redact(unconnected(connection)) };
  const first = await callAs(connection, task, payload, callMs);
  if (!hasForgotten(connection, first.answer)) return { name: first.name, answer: redact(first.answer) };
  const anew = await identities.renewed(auth);
  if (anew instanceof CallFailure) return { name: task, answer: redact(unconnected(anew)) };
  const { name, answer } = await callAs(anew, task, payload, callMs);
  return { name, answer: redact(answer) };
}

/**
 * A server may end a session whenever it likes, by a restart for example, and says so with 404: the client then has to
 * begin another one (MCP 2025-06-18, "Session Management"). What was sent in the old one was not looked at.
 */
function hasForgotten({ hasSession }: AgentConnection, { outcome, status }: TaskAnswer): boolean {
  return outcome !== 'answered' && status === 404 && hasSession?.() === true;
}

function callAs(connection: AgentConnection, task: string, payload: JsonObject, callMs: number) {
  return callByName(connection, task, payload, { callMs, maxBytes: ANSWER_BYTES });
}

/** No handshake under this identity is the answer to the call: a server may refuse strangers at the door. */
function unconnected(failure: CallFailure): TaskAnswer {
  const { status } = failure;
  return { ...failedContentOf(failure), durationMs: 0, raw: '', ...(status !== undefined && { status }) };
}
