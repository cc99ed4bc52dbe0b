import { type JsonObject, member, present } from '../../base/json.ts';
import type { Redact } from '../../base/redact.ts';
import { callByName } from '../../calling/connect.ts';
import type { AgentConnection, TaskAnswer } from '../../calling/connection.ts';
import { declaredVersions } from '../../calling/declarations.ts';
import { CallFailure, settle } from '../../calling/failure.ts';
import { callFailureOf, unconnectedAnswer } from '../../calling/task-answer.ts';
import type { Protocol } from '../../domain/agent-type.ts';
import type { Tool } from '../../domain/capabilities.ts';
import { distinctTexts, shortText } from '../../domain/text.ts';
import type { Clock } from '../../ports/clock.ts';
import type { WebhookListener } from '../../ports/webhook-listener.ts';
import { TEST_CONTROLLER, taskNamed } from '../../protocol/tasks.ts';
import {
  CAPABILITIES_TASKS,
  VOCABULARIES,
  VOCABULARY_NAMES,
  type VocabularyName,
} from '../../protocol/vocabulary.ts';
import type { AgentUnderTest } from '../run-result.ts';
import type { CallOutcome, Conversation, OutgoingCall, RequestBudget } from './conversation.ts';
import { redactFailure } from './evidence.ts';
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

/** What storyboards are selected by, and could not be read from an agent that answers. */
export interface Unread {
  /** `handshake`, `agent card`, `tools/list`, or the capabilities task by the name that was called. */
  readonly request: string;
  readonly failure: CallFailure;
}

/**
 * Shakes hands, lists tools and asks for the capabilities. A CallFailure when no handshake succeeds; what could not be
 * read when the agent is busy or does not answer for its card, its tools, or the capabilities task that it offers.
 */
export async function openConversation(options: LiveOptions): Promise<Conversation | CallFailure | Unread> {
  const { identities, budget, redact, callMs } = options;
  const isRefusedToken = async ({ status }: { readonly status?: number | undefined }) =>
    status === 401 && identities.mayAskAgain('given');
  budget.beginStep('lists');
  const connection = await identities.connectionOf('given');
  if (connection instanceof CallFailure) return unreadHandshake(connection, redact) ?? connection;
  const tools = await settle(connection.listTools());
  if (tools instanceof CallFailure) {
    if (await isRefusedToken(tools)) return openConversation(options);
    return isSilence(tools) ? { request: 'tools/list', failure: redactFailure(tools, redact) } : tools;
  }
  budget.beginStep('lists');
  const { name: task, answer } = await callByName(
    connection,
    CAPABILITIES,
    {},
    { callMs, maxBytes: ANSWER_BYTES },
  );
  if (answer.outcome !== 'answered' && (await isRefusedToken(answer))) return openConversation(options);
  if (answer.outcome !== 'answered' && mustAnswer(tools, answer)) {
    const failure = callFailureOf(answer);
    if (isSilence(failure)) return { request: task, failure: redactFailure(failure, redact) };
  }
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
    openLanes: (auth, lanes) => identities.openLanes(auth, lanes),
  };
}

/** HTTP statuses by which a server says that it is there and cannot answer now (RFC 9110, RFC 6585). */
const BUSY: readonly (number | undefined)[] = [429, 503];

/** A handshake that says nothing about the agent: it was busy, or its agent card could not be read. */
function unreadHandshake(failure: CallFailure, redact: Redact): Unread | undefined {
  const isCard = failure.facts.request === 'agent card' && failure.errorClass === 'http_error';
  if (!isCard && !BUSY.includes(failure.status)) return undefined;
  return { request: failure.facts.request ?? 'handshake', failure: redactFailure(failure, redact) };
}

/** An agent that leads elsewhere, wants credentials or sends too much has answered, and is judged by that. */
function isSilence({ errorClass }: CallFailure): boolean {
  return !['auth_required', 'other_origin', 'blocked', 'too_large'].includes(errorClass);
}

/**
 * An agent that lists the capabilities task has to answer it. One that lists none is described by its tools alone, when
 * it refuses the task; it may be hidden in an agent card, so that silence is no refusal.
 */
function mustAnswer(tools: readonly Tool[], answer: TaskAnswer): boolean {
  return tools.some(({ name }) => CAPABILITIES_TASKS.includes(name)) || answer.outcome === 'failed';
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
  if (vector === undefined) throw new Error(`no request for ${task}`);
  const to = { url, callMs, capabilities, nowMs: clock.now() };
  return { name: task, answer: redact(await sendVector(vector, identities, to)) };
}

async function callLive(
  { identities, budget, redact }: LiveOptions,
  call: OutgoingCall,
): Promise<CallOutcome> {
  const { task, auth, document, callMs, lane } = call;
  // the name of the capabilities task is looked up in the list
  budget.beginStep(taskNamed(task) === CAPABILITIES ? 'lists' : undefined);
  if (document !== undefined) return { name: task, answer: redact(await identities.read(document, callMs)) };
  const connection = await identities.connectionOf(auth, lane);
  if (connection instanceof CallFailure) return { name: task, answer: redact(unconnectedAnswer(connection)) };
  const first = await callAs(connection, call);
  const { outcome, status } = first.answer;
  const isRefused =
    outcome !== 'answered' && lane === undefined && status === 401 && (await identities.mayAskAgain(auth));
  if (!isRefused) return { name: first.name, answer: redact(first.answer) };
  const anew = await identities.renewed(auth);
  if (anew instanceof CallFailure) return { name: task, answer: redact(unconnectedAnswer(anew)) };
  const { name, answer } = await callAs(anew, call);
  return { name, answer: redact(answer) };
}

function callAs(connection: AgentConnection, { task, payload, callMs, retryRefusals = true }: OutgoingCall) {
  return callByName(connection, task, payload, { callMs, maxBytes: ANSWER_BYTES, retryRefusals });
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
    supported_versions: declaredVersions(capabilities),
    sandbox: member(member(capabilities, 'account'), 'sandbox') === true,
    test_controller: tools.includes(TEST_CONTROLLER),
    tools_count: tools.length,
    ...present({ vocabulary: vocabularyOf(tools, capabilities) }),
  };
}

/** By the name of the capabilities task that it offers, ours first, or the section in which it answers. */
function vocabularyOf(tools: readonly string[], capabilities: JsonObject): VocabularyName | undefined {
  const offered = VOCABULARIES.find((one) => tools.includes(VOCABULARY_NAMES[one].capabilitiesTask));
  return offered ?? VOCABULARIES.find((one) => Object.hasOwn(capabilities, VOCABULARY_NAMES[one].section));
}

function words(value: unknown): readonly string[] {
  return distinctTexts(value, MAX_NAMES, MAX_NAME);
}
