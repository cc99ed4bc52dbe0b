import { randomUUID } from 'node:crypto';
import {
  type Message,
  type Part,
  Role,
  type AgentCard as SdkCard,
  type SendMessageRequest,
  type Task,
  TaskState,
} from '@a2a-js/sdk';
import { JsonRpcTransportFactory, RestTransportFactory, type Transport } from '@a2a-js/sdk/client';
import { ProbeFailure } from './failure.ts';
import { isObject, type JsonObject, parseObject } from './json.ts';
import type { CardInterface } from './read-card.ts';
import type { ProbeSession } from './session.ts';
import { taskRefused } from './task-result.ts';

/** Calls one skill and resolves with the data of its final answer; rejects with a ProbeFailure only. */
export type CallSkill = (skill: string, input: JsonObject) => Promise<JsonObject>;

/** A caller for the interface that the card offers, over the SDK's transport for its binding and version. */
export async function connectA2a(session: ProbeSession, target: CardInterface): Promise<CallSkill> {
  const transport = await openTransport(session, target);
  const send = (skill: string, part: JsonObject) =>
    session.call(skill, target.url, async (signal) => {
      const serviceParameters = target.version === '1.0' ? { 'A2A-Version': '1.0' } : {};
      return finalData(
        await transport.sendMessage(messageOf(part, target.tenant), { signal, serviceParameters }),
      );
    });
  return async (skill, input) => {
    try {
      return await send(skill, { skill, input });
    } catch (failure) {
      if (target.version === '1.0' || !refusedByAgent(failure)) throw failure;
      return await send(skill, { skill, parameters: input }); // what agents of the first days want
    }
  };
}

/** The transports choose by the card they are given, so they are given one with the chosen interface only. */
function openTransport(session: ProbeSession, target: CardInterface): Promise<Transport> {
  const { url, binding, version, tenant } = target;
  const card = { supportedInterfaces: [{ url, protocolBinding: binding, protocolVersion: version, tenant }] };
  const Factory = binding === 'JSONRPC' ? JsonRpcTransportFactory : RestTransportFactory;
  const fetchImpl = session.fetch as typeof fetch;
  return new Factory({ fetchImpl, legacyCompat: { enabled: true } }).create(url, card as SdkCard);
}

function messageOf(data: JsonObject, tenant: string): SendMessageRequest {
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

/** The last data part of the first artifact of a completed task, or of a message. */
function finalData(result: Message | Task): JsonObject {
  if (!('status' in result)) return dataOf(result.parts);
  const state = result.status?.state;
  const artifact = result.artifacts[0]?.parts ?? result.status?.message?.parts ?? [];
  if (state === TaskState.TASK_STATE_COMPLETED) return dataOf(artifact);
  if (state === TaskState.TASK_STATE_AUTH_REQUIRED)
    throw new ProbeFailure('auth_required', 'the task asks for credentials');
  if (state === TaskState.TASK_STATE_FAILED || state === TaskState.TASK_STATE_REJECTED)
    throw taskRefused(lastData(artifact) ?? {}, textOf(artifact));
  throw new ProbeFailure('not_protocol', 'the task did not come to an end');
}

function dataOf(parts: readonly Part[]): JsonObject {
  const data = lastData(parts) ?? parseObject(textOf(parts));
  if (data === undefined) throw new ProbeFailure('not_protocol', 'the answer of the task has no data part');
  return data;
}

function lastData(parts: readonly Part[]): JsonObject | undefined {
  const values = parts.map((part): unknown =>
    part.content?.$case === 'data' ? part.content.value : undefined,
  );
  return values.findLast(isObject);
}

function textOf(parts: readonly Part[]): string {
  return (
    parts
      .map((part) => (part.content?.$case === 'text' ? part.content.value : ''))
      .find((text) => text !== '') ?? ''
  );
}

/** The agent answered, and what it said was no: another form of the question may do. */
function refusedByAgent(failure: unknown): boolean {
  return failure instanceof ProbeFailure && failure.errorClass === 'not_protocol';
}
