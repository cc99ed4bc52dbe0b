import type { IncomingMessage, ServerResponse } from 'node:http';
import type { User } from '@a2a-js/sdk/server';
import {
  ambiguityOf,
  isObject,
  type Problem,
  RegistryError,
  taskNamed,
} from '@agent-registry/surface/agent-kit';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import type { Callers } from '../reference/callers.ts';
import { ANONYMOUS, type Caller } from '../reference/handler.ts';
import { readRequestBody } from '../web/read-body.ts';
import type { AgentSpec } from './agent.ts';
import { isRpc, measureEnvelope, namelessCall } from './envelope.ts';

/** Who sent a message, and what the SDKs hand on to the task with it. */
export interface Sender {
  readonly caller: Caller;
  /** Why the task's request is not looked at; then it is no longer in the message. */
  readonly refusal?: Problem;
}

/** A message that was let in: who sent it, and what it says. */
export interface Admitted extends Sender {
  /** Undefined for GET and DELETE, which carry none. */
  readonly body?: unknown;
}

/** Characters of an id that a refusal repeats. */
const MAX_ID = 200;

/** What stands before both transports of an agent. */
export type Admit = (request: IncomingMessage, response: ServerResponse) => Promise<Admitted | undefined>;

/**
 * Reads a message and finds out who sent it. Undefined: it was answered already, as too large (413), as no JSON by its
 * type (415) or its content (400, also for a name that stands twice), as too large around the task's request (400), as a
 * call that names no task (an error of JSON-RPC), for credentials or a signature that do
 * not hold, or are missing where they are asked for (401), or because the nonces of signatures cannot be written at the
 * moment (503). A request that is too large for its task is the task's to refuse, in the same words over all transports.
 */
export function createAdmission(spec: AgentSpec, callers: Callers): Admit {
  const { origin } = new URL(spec.url);
  return async (request, response) => {
    const bytes = await readRequestBody(request);
    if (bytes === undefined)
      return answered(response, 413, rpcError(-32_600, 'the request is larger than 8 MiB'));
    const read = request.method === 'POST' ? readMessage(request, bytes) : {};
    if ('refused' in read) return answered(response, read.status, read.refused);
    const signed = spec.signed?.some((task) => namesTask(read.body, task)) === true;
    const known = await callers.identify(request, origin, bytes, signed).catch(unavailable);
    if (known === undefined)
      return answered(response, 503, { error: 'temporarily_unavailable' }, { 'retry-after': '5' });
    if (!known.ok) return answered(response, 401, { error: known.code }, known.headers);
    // an order that two readers read differently is none, whether it is signed or not
    const ambiguity = request.method === 'POST' ? ambiguityOf(bytes) : undefined;
    if (ambiguity === undefined) return { caller: known.caller, ...read };
    const code = 'request_body_malformed';
    return answered(response, 400, rpcError(-32_600, ambiguity, rpcIdOf(read.body), { code }));
  };
}

type ReadMessage =
  | { readonly body?: unknown; readonly refusal?: Problem }
  | { readonly status: number; readonly refused: object };

function readMessage(request: IncomingMessage, bytes: Buffer): ReadMessage {
  if (!/^application\/json[\t ]*(;|$)/i.test(request.headers['content-type'] ?? ''))
    return { status: 415, refused: rpcError(-32_600, 'send the message as application/json') };
  const body = parsed(bytes);
  if (body === undefined) return { status: 400, refused: rpcError(-32_700, 'the body is not valid JSON') };
  const { envelope, request: refusal } = measureEnvelope(body);
  if (envelope !== undefined)
    return { status: 400, refused: rpcError(-32_600, envelope.message, rpcIdOf(body), { ...envelope }) };
  if (!isRpc(body))
    return {
      status: 400,
      refused: rpcError(-32_600, 'the body is not a JSON-RPC 2.0 message', rpcIdOf(body)),
    };
  const nameless = namelessCall(body);
  // a message of JSON-RPC, so that its error is an answer like any other
  if (nameless !== undefined) return { status: 200, refused: rpcError(-32_602, nameless, rpcIdOf(body)) };
  return { body, ...(refusal !== undefined && { refusal }) };
}

/** Whether a message of either transport calls the task: what the signature has to be asked for before any SDK reads it. */
export function namesTask(body: unknown, task: string): boolean {
  return (Array.isArray(body) ? body : [body]).some((message) => {
    const params = isObject(message) && isObject(message.params) ? message.params : {};
    const parts = isObject(params.message) && Array.isArray(params.message.parts) ? params.message.parts : [];
    const skills = parts.map((part) => (isObject(part) && isObject(part.data) ? part.data.skill : undefined));
    return [params.name, ...skills].some((name) => typeof name === 'string' && taskNamed(name) === task);
  });
}

function unavailable(fault: unknown): undefined {
  if (fault instanceof RegistryError && fault.retryable) return undefined;
  throw fault;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** An error of JSON-RPC, for what no SDK gets to see. */
export function rpcError(
  code: number,
  message: string,
  id: string | number | null = null,
  data?: object,
): object {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } };
}

/** What an answer of JSON-RPC may repeat of a message; null where it has no id of the right form. */
export function rpcIdOf(body: unknown): string | number | null {
  const id = isObject(body) ? body.id : null;
  if (typeof id === 'string') return id.slice(0, MAX_ID);
  return typeof id === 'number' ? id : null;
}

function answered(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): undefined {
  response.writeHead(status, { ...headers, 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(body));
  return undefined;
}

/** Hands the sender to the MCP SDK, which hands it to the tool. */
export function authInfoOf({ caller, refusal }: Sender): AuthInfo {
  const sender: Sender = { caller, ...(refusal && { refusal }) };
  return { token: '', clientId: caller.id, scopes: [], extra: { sender } };
}

const NOBODY: Sender = { caller: ANONYMOUS };

/** The sender that `authInfoOf` handed in. */
export function senderOf(auth: AuthInfo | undefined): Sender {
  return (auth?.extra?.sender as Sender | undefined) ?? NOBODY;
}

/** The same for the A2A SDK. It also keeps the A2A tasks of callers apart by the name. */
export class CallingUser implements User {
  readonly sender: Sender;

  constructor({ caller, refusal }: Sender) {
    this.sender = { caller, ...(refusal && { refusal }) };
  }

  get isAuthenticated(): boolean {
    return this.sender.caller.id !== ANONYMOUS.id;
  }

  get userName(): string {
    return this.sender.caller.id;
  }
}

/** The sender that a `CallingUser` stands for. */
export function senderOfUser(user: User | undefined): Sender {
  return user instanceof CallingUser ? user.sender : NOBODY;
}
