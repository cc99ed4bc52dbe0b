import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify';
import { elements, isObject, type JsonObject, member } from '../../base/json.ts';
import type { OpenApiPaths } from '../openapi.ts';

/** A call that cannot be answered, with a message for the caller. */
export class ToolRefusal extends Error {
  /** The status of the operation's problem; absent where no operation was called. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.name = 'ToolRefusal';
    this.status = status;
  }
}

/**
 * Calls an operation of the API by its id, as the caller of the tool. Returns its answer over HTTP, or throws a ToolRefusal with
 * the message of its problem. Arguments are its parameters, or the fields of its body.
 */
export type Ask = (operationId: string, args: JsonObject) => Promise<JsonObject>;

/** Longer than any request of an operation without a body. */
const MAX_ADDRESS = 16_384;

/**
 * Sends a request to the routes of this server, without a connection. It is parsed, counted, limited and answered like any other
 * request of the caller, so that no tool returns more than HTTP does.
 */
export function askAs(request: FastifyRequest, server: FastifyInstance, paths: OpenApiPaths): Ask {
  const { authorization } = request.headers;
  return async (operationId, args) => {
    const { method, path } = routeOf(paths, operationId);
    const asked = requestOf(method, path, args);
    const response = await server.inject({
      ...asked,
      remoteAddress: request.ip,
      headers: { accept: 'application/json', ...(authorization !== undefined && { authorization }) },
    });
    const answer: unknown = JSON.parse(response.body);
    if (response.statusCode === 200 && isObject(answer)) return answer;
    throw new ToolRefusal(problemText(answer), response.statusCode);
  };
}

interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

function routeOf(paths: OpenApiPaths, operationId: string): Route {
  for (const [path, methods] of Object.entries(paths))
    for (const [name, operation] of Object.entries(methods))
      if (operation.operationId === operationId) return { path, method: name === 'post' ? 'POST' : 'GET' };
  throw new Error(`no route answers the operation ${operationId}`);
}

function requestOf(
  method: Route['method'],
  path: string,
  args: JsonObject,
): Pick<InjectOptions, 'method' | 'url' | 'payload'> {
  if (method === 'POST') return { method, url: path, payload: args };
  const query = new URLSearchParams();
  let url = path;
  for (const [name, value] of Object.entries(args)) {
    if (value === undefined || value === null) continue; // not set
    const values = [value].flat().map((one) => textOf(name, one));
    if (path.includes(`{${name}}`))
      url = url.replace(`{${name}}`, () => encodeURIComponent(values.join(',')));
    else for (const one of values) query.append(name, one);
  }
  const address = query.size === 0 ? url : `${url}?${query}`;
  if (address.length <= MAX_ADDRESS) return { method, url: address };
  throw new ToolRefusal(`the arguments have more than ${MAX_ADDRESS} characters`);
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' && value.isWellFormed()) return value;
  if (typeof value === 'string')
    throw new ToolRefusal(`${name.slice(0, 100)}: the string contains an unpaired surrogate`);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new ToolRefusal(`${name.slice(0, 100)}: use a string, a number, a boolean or an array of these`);
}

/** A problem in one line, with the valid values (RFC 9457, and our extensions). */
function problemText(answer: unknown): string {
  const parameter = member(answer, 'parameter');
  const valid = member(answer, 'valid_values');
  const isListed = String(member(answer, 'detail')).includes(`${elements(valid)[0]}, `);
  const values = Array.isArray(valid) && valid.length > 0 && !isListed ? `; valid: ${valid.join(', ')}` : '';
  return `${parameter === undefined ? '' : `${parameter}: `}${member(answer, 'detail')}${values}`;
}
