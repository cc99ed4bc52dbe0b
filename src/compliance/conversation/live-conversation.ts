import { elements, type JsonObject, member, parseObject } from '../../base/json.ts';
import { callByName } from '../../calling/connect.ts';
import type { AgentConnection, TaskAnswer, TaskContent } from '../../calling/connection.ts';
import { CallFailure, settle } from '../../calling/failure.ts';
import { failedContent, failedContentOf } from '../../calling/task-answer.ts';
import type { Protocol } from '../../domain/agent-type.ts';
import { shortText } from '../../domain/text.ts';
import type { Clock } from '../../ports/clock.ts';
import type { WebhookListener } from '../../ports/webhook-listener.ts';
import { taskNamed } from '../../protocol/tasks.ts';
import { VOCABULARIES, VOCABULARY_NAMES } from '../../protocol/vocabulary.ts';
import type { AgentUnderTest } from '../run-result.ts';
import { TEST_CONTROLLER } from './consent.ts';
import type { CallOutcome, Conversation, OutgoingCall, RequestBudget } from './conversation.ts';
import type { Redact } from './evidence.ts';
import type { Identities } from './identities.ts';

const MAX_NAMES = 100;
const MAX_NAME = 64;

/** What the handshake and the lists said. */
interface ReportedFacts {
  readonly protocol: Protocol;
  readonly endpoint: string;
  readonly name?: string;
  readonly tools: readonly string[];
  /** Undefined when the capabilities task was not answered. */
  readonly capabilities: JsonObject | undefined;
}

const CAPABILITIES = 'get_proto_capabilities';

/** Largest answer, bytes after decompression. */
const ANSWER_BYTES = 2 * 1024 * 1024;
const DOCUMENT_BYTES = 64 * 1024;

interface LiveOptions {
  readonly identities: Identities;
  readonly budget: RequestBudget;
  readonly redact: Redact;
  /** One call of the introduction, milliseconds. */
  readonly callMs: number;
  readonly clock: Clock;
  /** Where its webhooks come in, and until when that may be waited for. */
  readonly listener?: WebhookListener;
  readonly signal: AbortSignal;
}

/** Shakes hands, lists tools and asks for the capabilities; a CallFailure when the agent cannot be spoken to. */
export async function openConversation(options: LiveOptions): Promise<Conversation | CallFailure> {
  const { identities, budget, redact, callMs } = options;
  const isRefusedToken = async ({ status }: { readonly status?: number | undefined }) =>
    status === 401 && identities.mayAskAgain('given');
  budget.beginStep('lists');
  const connection = await identities.connectionOf('given');
  if (connection instanceof CallFailure) return connection;
  const tools = await settle(connection.listTools());
  if (tools instanceof CallFailure) return (await isRefusedToken(tools)) ? openConversation(options) : tools;
  budget.beginStep('lists');
  const { answer } = await callByName(connection, CAPABILITIES, {}, { callMs, maxBytes: ANSWER_BYTES });
  if (answer.outcome !== 'answered' && (await isRefusedToken(answer))) return openConversation(options);
  const { protocol, endpoint, name } = connection;
  const reported = redact({
    protocol,
    endpoint,
    ...(name !== undefined && { name }),
    tools: tools.map((tool) => tool.name),
    capabilities: answer.outcome === 'answered' ? answer.data : undefined,
  });
  return {
    agent: readAgent(reported),
    capabilities: reported.capabilities ?? {},
    tools: reported.tools,
    call: (call) =>
      call.webhooks === undefined && call.vector === undefined
        ? callLive(options, call)
        : callSpecial(options, call, endpoint, reported.capabilities ?? {}),
  };
}

/** What only some bundles ask for; loaded with the first of it. */
async function callSpecial(
  { identities, budget, redact, clock, listener, signal }: LiveOptions,
  { task, webhooks, vector, callMs }: OutgoingCall,
  url: string,
  capabilities: JsonObject,
): Promise<CallOutcome> {
  const { awaitWebhooks, sendVector } = await import('../special/live-special.ts');
  budget.beginStep();
  if (webhooks !== undefined)
    return { name: task, answer: redact(await awaitWebhooks(webhooks, listener, signal)) };
  if (vector === undefined) throw new Error(`nothing to send for ${task}`);
  const to = { url, callMs, capabilities, nowMs: clock.now() };
  return { name: task, answer: redact(await sendVector(vector, identities, to)) };
}

async function callLive(
  { identities, budget, redact, clock }: LiveOptions,
  { task, payload, auth, callMs, document }: OutgoingCall,
): Promise<CallOutcome> {
  // the name of the capabilities task is looked up in the list
  budget.beginStep(taskNamed(task) === CAPABILITIES ? 'lists' : undefined);
  if (document !== undefined)
    return { name: task, answer: redact(await readDocument(identities, document, callMs, clock)) };
  const connection = await identities.connectionOf(auth);
  if (connection instanceof CallFailure) return { name: task, answer: redact(unconnected(connection)) };
  const first = await callAs(connection, task, payload, callMs);
  const { outcome, status } = first.answer;
  const isRefused = outcome !== 'answered' && status === 401 && (await identities.mayAskAgain(auth));
  if (!isRefused && !hasForgotten(connection, first.answer))
    return { name: first.name, answer: redact(first.answer) };
  const anew = await identities.renewed(auth);
  if (anew instanceof CallFailure) return { name: task, answer: redact(unconnected(anew)) };
  const { name, answer } = await callAs(anew, task, payload, callMs);
  return { name, answer: redact(answer) };
}

/** A document as nobody: a JSON object, or why there is none. Never rejects, and never leaves the agent's origin. */
async function readDocument(
  identities: Identities,
  url: string,
  callMs: number,
  clock: Clock,
): Promise<TaskAnswer> {
  const began = clock.now();
  const took = () => Math.max(0, Math.round(clock.now() - began));
  try {
    const asked = { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(callMs) };
    const response = await identities.send('none', url, asked);
    const { status } = response;
    const raw = (await response.text()).slice(0, DOCUMENT_BYTES);
    const data = parseObject(raw);
    const content: TaskContent =
      response.ok && data !== undefined
        ? { outcome: 'answered', data }
        : failedContent(response.ok ? 'not_protocol' : 'http_error', `http ${status} and no JSON object`, {
            status,
          });
    return { ...content, status, durationMs: took(), raw };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const errorClass = error instanceof CallFailure ? error.errorClass : 'blocked';
    return { ...failedContent(errorClass, message), durationMs: took(), raw: '' };
  }
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

/** What of it decides which storyboards there are for the agent, and what may be sent to it; pure. */
export function readAgent({ protocol, endpoint, name, tools, ...facts }: ReportedFacts): AgentUnderTest {
  const capabilities = facts.capabilities ?? {};
  const shown = shortText(name, 200);
  return {
    protocol,
    endpoint,
    ...(shown !== undefined && { name: shown }),
    supported_protocols: words(capabilities.supported_protocols).map((word) => word.replaceAll('-', '_')),
    ...(facts.capabilities === undefined && { capabilities_unread: true as const }),
    specialisms: words(capabilities.specialisms),
    supported_versions: versionsOf(capabilities),
    sandbox: member(member(capabilities, 'account'), 'sandbox') === true,
    test_controller: tools.includes(TEST_CONTROLLER),
    tools_count: tools.length,
  };
}

function versionsOf(capabilities: JsonObject): readonly string[] {
  const sections = VOCABULARIES.map((one) => member(capabilities, VOCABULARY_NAMES[one].section));
  const found = sections.map((section) => words(member(section, 'supported_versions')));
  return found.find((versions) => versions.length > 0) ?? [];
}

function words(value: unknown): readonly string[] {
  const texts = elements(value)
    .slice(0, MAX_NAMES)
    .flatMap((item) => shortText(item, MAX_NAME) ?? []);
  return [...new Set(texts)];
}
