import { randomUUID } from 'node:crypto';
import {
  type Message,
  type Part,
  Role,
  type AgentCard as SdkCard,
  type SendMessageRequest,
  type Task,
} from '@a2a-js/sdk';
import { JsonRpcTransportFactory, RestTransportFactory, type Transport } from '@a2a-js/sdk/client';
import { backOffMs } from '../base/back-off.ts';
import { ProvenOrigin } from '../domain/proven-origin.ts';
import { VOCABULARY_NAMES } from '../protocol/vocabulary.ts';
import {
  formWanted,
  isAboutForm,
  isRunning,
  readSkillResult,
  type SkillForm,
  unfinished,
} from './a2a-answer.ts';
import { type CardInterface, findCard, readCard } from './a2a-card.ts';
import type { AgentConnection, TaskAnswer, TaskContent } from './connection.ts';
import { CallFailure, failureOfProtocol } from './failure.ts';
import { readTools } from './read-tools.ts';
import type { CallSession } from './session.ts';
import { callStep, unconnectedAnswer } from './task-answer.ts';

type CallTask = AgentConnection['callTask'];

type Send = (form: SkillForm) => Promise<TaskAnswer>;

/** Shakes hands over A2A, which is reading the agent card; rejects with the CallFailure that tells most. */
export async function speakA2a(session: CallSession): Promise<AgentConnection> {
  const found = await findCard(session);
  const responseTimeMs = session.steps.at(-1)?.durationMs ?? 0;
  const { url, findings, origin } = session;
  const { chosen, elsewhere, skills, name, description } = readCard(found.card, url, findings, origin);
  const tools = readTools(skills, '/skills', findings);
  if (chosen && !ProvenOrigin.of(url.href).holds(chosen.url))
    findings.add('warning', 'card_url_other_origin', '', OTHER_ORIGIN);
  const isPublic = tools.some(({ name: skill }) => skill === VOCABULARY_NAMES.adcp.capabilitiesTask);
  const nowhere = noInterface(elsewhere);
  // where an address was refused, that is told already
  if (!chosen && !findings.list().some(({ code }) => code.startsWith('card_')))
    findings.add('warning', 'card_no_interface', '', nowhere.message);
  const callTask = chosen ? await connectA2a(session, chosen, isPublic) : notCalled(nowhere);
  return {
    protocol: 'a2a',
    endpoint: chosen?.url ?? found.url,
    responseTimeMs,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    mayHideTasks: chosen !== undefined,
    listTools: async () => tools,
    countResources: async () => undefined,
    callTask,
    close: async () => undefined,
  };
}

const OTHER_ORIGIN =
  'the url in the agent card has another origin than the agent; tests do not leave the origin of the agent';

function noInterface(elsewhere: string | undefined): CallFailure {
  const message = 'the agent card has no usable url';
  return elsewhere === undefined
    ? new CallFailure('not_protocol', message)
    : new CallFailure('other_origin', `${message}: ${elsewhere}`);
}

function notCalled(failure: CallFailure): CallTask {
  return async () => unconnectedAnswer(failure);
}

/** A caller for the interface that the card offers, over the SDK's transport for its binding and version. */
async function connectA2a(session: CallSession, target: CardInterface, isPublic: boolean): Promise<CallTask> {
  const transport = await openTransport(session, target);
  const serviceParameters = target.version === '1.0' ? { 'A2A-Version': '1.0' } : {};
  const isNew = target.version === '1.0';
  let wanted: SkillForm | undefined = isNew ? 'input' : undefined;
  // clients of the public protocol write `parameters`, and some of its servers look nowhere else and say nothing
  const both = isNew && isPublic;
  return async (skill, payload, options = {}) => {
    const send: Send = async (form) => {
      const named = { [form]: payload, ...(both && { parameters: payload }) };
      const request = messageOf({ skill, ...named }, target.tenant);
      return callStep(session, { task: skill, at: target.url, payload, options }, (signal) =>
        resultOf({ session, transport, tenant: target.tenant }, request, { signal, serviceParameters }),
      );
    };
    if (wanted !== undefined) return send(wanted);
    const tried = await tryForms(send, payload);
    wanted = tried.wanted;
    return tried.answer;
  };
}

/** Between two looks at an unfinished task, milliseconds: doubling from the first to the longest. */
const FIRST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 5_000;

interface A2aTarget {
  readonly session: CallSession;
  readonly transport: Transport;
  readonly tenant: string;
}

/**
 * Sends a message, and looks at its task until that is final: the deadline of the call ends the polling, and then says in
 * which state the task still is.
 */
async function resultOf(
  { session, transport, tenant }: A2aTarget,
  request: SendMessageRequest,
  options: { readonly signal: AbortSignal; readonly serviceParameters: Record<string, string> },
): Promise<TaskContent> {
  const { signal } = options;
  let result = await transport.sendMessage(request, options);
  for (let looks = 1; isRunning(result); looks += 1) {
    const running = result;
    session.lateBecause(unfinished(running));
    await session.pause(backOffMs(looks, FIRST_LOOK_MS, LONGEST_LOOK_MS), signal);
    signal.throwIfAborted();
    result = await transport.getTask({ tenant, id: running.id }, options).catch((error: unknown) => {
      throw unseen(running, error);
    });
  }
  return readSkillResult(result);
}

/** A refusal to show the task is told with the state in which it was left; any other error is the network's. */
function unseen(task: Task, error: unknown): unknown {
  const { rpcCode, facts } = failureOfProtocol(error);
  if (rpcCode === undefined) return error;
  const message = `${unfinished(task)}, and tasks/get returned JSON-RPC error ${rpcCode}`;
  return new CallFailure('not_protocol', message, facts);
}

/** Under `input`, and under `parameters` when that was refused for its form alone. */
async function tryForms(
  send: Send,
  payload: unknown,
): Promise<{ readonly answer: TaskAnswer; readonly wanted: SkillForm | undefined }> {
  const first = await send('input');
  if (!isAboutForm(first)) {
    // an empty payload is found under no name at all, so its success says nothing of names
    const proven = first.outcome === 'answered' && Object.keys(Object(payload)).length > 0;
    return { answer: first, wanted: proven ? 'input' : undefined };
  }
  const second = await send('parameters');
  const wanted = formWanted(first, second);
  return { answer: wanted === 'parameters' ? second : first, wanted };
}

/** The transports choose by the card they are given, so they are given one with the chosen interface only. */
function openTransport(session: CallSession, target: CardInterface): Promise<Transport> {
  const { url, binding, version, tenant } = target;
  const card = { supportedInterfaces: [{ url, protocolBinding: binding, protocolVersion: version, tenant }] };
  const Factory = binding === 'JSONRPC' ? JsonRpcTransportFactory : RestTransportFactory;
  const fetchImpl = session.fetch as typeof fetch;
  return new Factory({ fetchImpl, legacyCompat: { enabled: true } }).create(url, card as SdkCard);
}

function messageOf(data: unknown, tenant: string): SendMessageRequest {
  const part: Part = {
    content: { $case: 'data', value: data },
    metadata: undefined,
    filename: '',
    mediaType: 'application/json',
  };
  const message: Message = {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [part],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
  return { tenant, message, configuration: undefined, metadata: undefined };
}
