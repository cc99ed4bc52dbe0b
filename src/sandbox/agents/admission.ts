import type { IncomingMessage, ServerResponse } from 'node:http';
import type { User } from '@a2a-js/sdk/server';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { taskNamed } from '../../protocol/tasks.ts';
import type { Callers } from '../reference/callers.ts';
import { ANONYMOUS, type Caller } from '../reference/handler.ts';
import { isObject, readBytes } from '../web/read-body.ts';
import type { AgentSpec } from './agent.ts';

/** A message that was let in: who sent it, and what it says. */
export interface Admitted {
  readonly caller: Caller;
  readonly body: unknown;
}

/** What stands before both transports of an agent. */
export type Admit = (request: IncomingMessage, response: ServerResponse) => Promise<Admitted | undefined>;

/**
 * Reads a posted message and finds out who sent it. Undefined: it was answered already, as too large (413), as no
 * JSON (400), or for credentials or a signature that do not hold, or are missing where they are asked for (401).
 */
export function createAdmission(spec: AgentSpec, callers: Callers): Admit {
  const { origin } = new URL(spec.url);
  return async (request, response) => {
    const bytes = await readBytes(request);
    if (bytes === undefined)
      return answered(response, 413, rpcError(-32_600, 'the request is larger than 8 MiB'));
    const body = parsed(bytes);
    if (body === undefined) return answered(response, 400, rpcError(-32_700, 'the body is no JSON'));
    const signed = spec.signed?.some((task) => namesTask(body, task)) === true;
    const known = await callers.identify(request, origin, bytes, signed);
    if (known.ok) return { caller: known.caller, body };
    return answered(response, 401, { error: known.code }, known.headers);
  };
}

/** Whether a message of either transport calls the task: what the signature has to be asked for before any SDK reads it. */
function namesTask(body: unknown, task: string): boolean {
  return (Array.isArray(body) ? body : [body]).some((message) => {
    const params = isObject(message) && isObject(message.params) ? message.params : {};
    const parts = isObject(params.message) && Array.isArray(params.message.parts) ? params.message.parts : [];
    const skills = parts.map((part) => (isObject(part) && isObject(part.data) ? part.data.skill : undefined));
    return [params.name, ...skills].some((name) => typeof name === 'string' && taskNamed(name) === task);
  });
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function rpcError(code: number, message: string): object {
  return { jsonrpc: '2.0', id: null, error: { code, message } };
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

/** Hands the caller to the MCP SDK, which hands it to the tool. */
export function authInfoOf(caller: Caller): AuthInfo {
  return { token: '', clientId: caller.id, scopes: [], extra: { caller } };
}

/** The caller that `authInfoOf` handed in. */
export function callerOf(auth: AuthInfo | undefined): Caller {
  return (auth?.extra?.caller as Caller | undefined) ?? ANONYMOUS;
}

/** The same for the A2A SDK. It also keeps the A2A tasks of callers apart by the name. */
export class CallingUser implements User {
  readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  get isAuthenticated(): boolean {
    return this.caller.id !== ANONYMOUS.id;
  }

  get userName(): string {
    return this.caller.id;
  }
}

/** The caller that a `CallingUser` stands for. */
export function callerOfUser(user: User | undefined): Caller {
  return user instanceof CallingUser ? user.caller : ANONYMOUS;
}
