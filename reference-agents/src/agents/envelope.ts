import { BOUNDS, isObject, measure, type Problem, problem } from '@agent-registry/surface/agent-kit';

/** What is wrong with the size, the texts or the form of a message, before anything else reads it. */
export interface EnvelopeFaults {
  /** With the message around the task's request, or with a batch; the pointer leads into the message. */
  readonly envelope?: Problem;
  /** With the request itself; the pointer leads into it, so that the task can say it over any transport. */
  readonly request?: Problem;
}

/** Where a message carries the request of a task. */
interface Slot {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/**
 * Holds a parsed message of either transport against the bounds of the protocol. The request of a task and what
 * surrounds it are measured apart, so that each may be as deep as a request may be. A request that is too large is
 * left out of the body: an SDK would copy it several times, and nothing would look at it.
 *
 * @param body As it was parsed; it is changed only where its request is too large.
 */
export function measureEnvelope(body: unknown): EnvelopeFaults {
  const slots = slotsOf(body);
  const requests = slots.map(({ holder, key }) => holder[key]);
  for (const { holder, key } of slots) holder[key] = {};
  const around = measure(body).problem;
  if (around !== undefined) return { envelope: around };
  const fault = faultOf(requests);
  if (fault !== undefined) return Array.isArray(body) ? { envelope: fault } : { request: fault };
  for (const [index, { holder, key }] of slots.entries()) holder[key] = requests[index];
  return {};
}

/**
 * Whether a body is a message of JSON-RPC 2.0 (section 4), or a batch that has some: what is none, each SDK would refuse
 * in a form of its own. Without a method it is an answer, which clients of MCP post too.
 */
export function isRpc(body: unknown): boolean {
  return Array.isArray(body) ? body.length > 0 && body.every(isMessage) : isMessage(body);
}

function isMessage(message: unknown): boolean {
  if (!isObject(message) || message.jsonrpc !== '2.0') return false;
  const { id = null, method, params = {} } = message;
  if (id !== null && typeof id !== 'string' && typeof id !== 'number') return false;
  if (method === undefined) return Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error');
  return typeof method === 'string' && isObject(params);
}

/**
 * What is wrong with how a message names the task that it calls; undefined when it calls none, or names it. Said here in
 * one form over both transports: the SDK of MCP calls it a fault of the server, that of A2A leaves it to the task.
 */
export function namelessCall(body: unknown): string | undefined {
  const faults = (Array.isArray(body) ? body : [body]).flatMap((message) => {
    const params = paramsOf(message);
    if (isObject(message) && message.method === 'tools/call' && typeof params.name !== 'string')
      return ['params.name must be the name of a task, as a string'];
    const [data] = dataIn(params);
    if (data !== undefined && typeof data.skill !== 'string')
      return ['skill in the data part must be the name of a task, as a string'];
    return [];
  });
  return faults[0];
}

/** The requests of one message share one bound, as they are read one after the other. */
function faultOf(requests: readonly unknown[]): Problem | undefined {
  let values = 0;
  for (const request of requests) {
    const size = measure(request);
    values += size.values;
    if (size.problem !== undefined) return size.problem;
    // Said here, since each SDK would say it in a form of its own.
    if (!isObject(request))
      return problem('INVALID_REQUEST', 'the request must be an object', { pointer: '' });
    if (values > BOUNDS.values) return measure(requests).problem;
  }
  return undefined;
}

/** MCP has the request in `params.arguments`; A2A in the data of a part, under either of two names. */
function slotsOf(body: unknown): readonly Slot[] {
  return (Array.isArray(body) ? body : [body]).flatMap((message) => {
    const params = paramsOf(message);
    return [
      slot(params, 'arguments'),
      ...dataIn(params).flatMap((one) => [slot(one, 'input'), slot(one, 'parameters')]),
    ].flat();
  });
}

function paramsOf(message: unknown): Record<string, unknown> {
  return isObject(message) && isObject(message.params) ? message.params : {};
}

function dataIn({ message }: Record<string, unknown>): readonly Record<string, unknown>[] {
  const parts = isObject(message) && Array.isArray(message.parts) ? message.parts : [];
  return parts.flatMap((part) => (isObject(part) && isObject(part.data) ? [part.data] : []));
}

function slot(holder: Record<string, unknown>, key: string): readonly Slot[] {
  return Object.hasOwn(holder, key) ? [{ holder, key }] : [];
}
