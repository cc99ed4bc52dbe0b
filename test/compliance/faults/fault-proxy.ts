import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject, type JsonObject, parseObject } from '../../../src/base/json.ts';

/** Calls that are no tasks. `capabilities` is the capabilities task under either of its names. */
export type Occasion =
  | 'initialize'
  | 'notifications/initialized'
  | 'tools/list'
  | 'capabilities'
  | 'card'
  | (string & {});

/** A request as the proxy understands it. */
export interface SeenCall {
  /** An occasion, or the name of the task that was called. */
  readonly on: Occasion;
  /** Counts the calls of this occasion from 1. */
  readonly nth: number;
  /** The parameters of the JSON-RPC request; empty where there are none. */
  readonly params: JsonObject;
  /** The id of the JSON-RPC request; undefined for a notification and for an agent card. */
  readonly id: unknown;
}

/** One fault or variation. Every part is optional; the parts that are given apply to the calls that `on` and `calls` select. */
export interface Fault {
  /** Default: every call. */
  readonly on?: readonly Occasion[];
  /** Which of the calls, by their number from 1. Default: all. */
  readonly calls?: (nth: number) => boolean;
  /** Ends the session of the call: the agent has forgotten it, and answers 404. */
  readonly forgetsSession?: boolean;
  /** Answers in the place of the agent, which does not see the call. */
  readonly instead?: (response: ServerResponse, call: SeenCall) => void;
  /** Changes the headers that reach the agent. */
  readonly headers?: (headers: Headers) => void;
  /** Changes the arguments of a task that reach the agent. */
  readonly args?: (args: JsonObject) => JsonObject;
  /** Changes the parameters that reach the agent, after `args`. */
  readonly params?: (params: JsonObject) => JsonObject;
  /** Changes the data of a task that did not refuse, in the structured part and in its text copy. */
  readonly data?: (data: JsonObject, call: SeenCall) => JsonObject;
  /** Changes the JSON-RPC message, after `data`. */
  readonly message?: (message: JsonObject, call: SeenCall) => JsonObject;
  /** Milliseconds to wait before the answer is written. */
  readonly delayMs?: number;
  /** Writes the answer. Default: JSON, as `application/json`. */
  readonly write?: (response: ServerResponse, message: JsonObject, headers: Record<string, string>) => void;
}

export interface FaultProxyOptions {
  /** Where the agent is: the path of a request is appended. No slash at the end. In an agent card it becomes the proxy's origin. */
  readonly base: string;
  /** The proxy keeps sessions as a server may: it gives an id, and answers 404 for one that it does not know. */
  readonly sessions?: boolean;
  readonly faults: readonly Fault[];
}

export interface FaultProxy {
  readonly origin: string;
  /** How often a fault made a difference so far. */
  readonly hits: () => number;
  close(): Promise<void>;
}

const SESSION = 'mcp-session-id';
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  ...['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding', 'keep-alive'],
]);

/** Serves an agent on a free port of loopback, with these faults; close it. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { base, faults, sessions = false } = options;
  const calls = new Map<Occasion, number>();
  const live = new Set<string>();
  let hits = 0;
  const closed = new AbortController();
  let origin = '';

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const call = readCall(request, body, calls);
    const given = request.headers[SESSION];
    const active = faults.filter((fault) => applies(fault, call));
    if (active.some(({ forgetsSession }) => forgetsSession) && live.delete(String(given))) hits += 1;
    if (sessions && given !== undefined && !live.has(String(given))) return noSession(response);

    const instead = active.find((fault) => fault.instead !== undefined)?.instead;
    if (instead !== undefined && call !== undefined) {
      hits += 1;
      return instead(response, call);
    }

    const headersSent = forwarded(request, active);
    const sent = changedBody(body, active);
    if (sent !== body || headersSent.get('authorization') !== (request.headers.authorization ?? null))
      hits += 1;
    const upstream = await fetch(base + request.url, {
      method: request.method ?? 'GET',
      headers: headersSent,
      redirect: 'manual',
      signal: closed.signal,
      ...(sent !== '' && { body: sent }),
    });
    const text = await upstream.text();
    const headers: Record<string, string> = {};
    for (const name of ['www-authenticate', 'retry-after', SESSION]) {
      const value = upstream.headers.get(name);
      if (value !== null) headers[name] = value;
    }
    if (sessions && call?.on === 'initialize' && upstream.ok) {
      headers[SESSION] = randomUUID();
      live.add(headers[SESSION]);
    }
    const message = call?.id === undefined ? undefined : messageIn(text, call.id);
    const delayMs = Math.max(0, ...active.map((fault) => fault.delayMs ?? 0));
    if (delayMs > 0) hits += 1;
    const write = () => {
      if (call === undefined || message === undefined) return passOn(upstream, response, text, headers);
      const changed = active.reduce((said, fault) => changedMessage(said, fault, call), message);
      const writer = active.find((fault) => fault.write !== undefined)?.write ?? writeJson;
      if (writer !== writeJson || JSON.stringify(changed) !== JSON.stringify(message)) hits += 1;
      writer(response, changed, headers);
    };
    if (delayMs === 0) return write();
    const timer = setTimeout(write, delayMs);
    response.once('close', () => clearTimeout(timer));
  }

  function passOn(
    upstream: Response,
    response: ServerResponse,
    text: string,
    headers: Record<string, string>,
  ): void {
    const type = upstream.headers.get('content-type');
    response.writeHead(upstream.status, { ...headers, ...(type !== null && { 'content-type': type }) });
    response.end(text.replaceAll(base, origin));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (closed.signal.aborted) return;
      // a fault of the proxy must not look like one of the agent
      process.stderr.write(`fault proxy: ${String(error)}\n`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    hits: () => hits,
    async close() {
      closed.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function applies({ on, calls }: Fault, call: SeenCall | undefined): boolean {
  if (call === undefined) return on === undefined;
  return (on === undefined || on.includes(call.on)) && (calls === undefined || calls(call.nth));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** What is asked for, and how often it was; undefined for what is neither a message of a protocol nor a card. */
function readCall(
  request: IncomingMessage,
  body: string,
  counts: Map<Occasion, number>,
): SeenCall | undefined {
  const rpc = parseObject(body);
  const asked = rpc === undefined ? undefined : askedIn(rpc);
  const isCard = request.method === 'GET' && /\/\.well-known\/agent(-card)?\.json$/.test(request.url ?? '');
  const on = asked ?? (isCard ? 'card' : undefined);
  if (on === undefined) return undefined;
  const nth = (counts.get(on) ?? 0) + 1;
  counts.set(on, nth);
  return { on, nth, params: isObject(rpc?.params) ? rpc.params : {}, id: rpc?.id };
}

/** MCP names the task in `params.name`; A2A 0.3 and 1.0 in the data part of a message. */
function askedIn({ method, params }: JsonObject): Occasion | undefined {
  if (typeof method !== 'string') return undefined;
  const given = isObject(params) ? params : {};
  if (method === 'tools/call') return occasionOf(given.name);
  const skill = isObject(given.message) ? skillIn(given.message) : undefined;
  return skill === undefined ? method : occasionOf(skill);
}

function skillIn({ parts }: JsonObject): unknown {
  const [part] = Array.isArray(parts) ? parts : [];
  const data = isObject(part) && isObject(part.data) ? part.data : {};
  return data.skill;
}

function occasionOf(name: unknown): Occasion {
  return /^get_(proto|adcp)_capabilities$/.test(String(name)) ? 'capabilities' : String(name);
}

function forwarded(request: IncomingMessage, active: readonly Fault[]): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !NOT_FORWARDED.has(name)) headers.set(name, String(value));
  for (const fault of active) fault.headers?.(headers);
  return headers;
}

function changedBody(body: string, active: readonly Fault[]): string {
  const changes = active.filter(({ args, params }) => args !== undefined || params !== undefined);
  const rpc = changes.length === 0 ? undefined : parseObject(body);
  if (rpc === undefined || !isObject(rpc.params)) return body;
  let { params } = rpc;
  for (const change of changes) {
    const args = isObject(params) && isObject(params.arguments) ? params.arguments : undefined;
    if (args !== undefined && change.args)
      params = { ...(params as JsonObject), arguments: change.args(args) };
    params = change.params?.(params as JsonObject) ?? params;
  }
  return JSON.stringify({ ...rpc, params });
}

/** The answer to this request, in a body of JSON or of server-sent events. */
function messageIn(text: string, id: unknown): JsonObject | undefined {
  const messages = [parseObject(text), ...eventsIn(text).map(parseObject)];
  return messages.find((message) => message?.jsonrpc === '2.0' && message.id === id);
}

function eventsIn(text: string): readonly string[] {
  return text.split(/\r?\n\r?\n/).map((event) =>
    event
      .split(/\r?\n/)
      .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
      .join('\n'),
  );
}

function changedMessage(message: JsonObject, { data, message: change }: Fault, call: SeenCall): JsonObject {
  const said = data === undefined ? message : withData(message, (own) => data(own, call));
  return change === undefined ? said : change(said, call);
}

/** The message with other data in the result of its tool; a refusal stays as it is. */
export function withData(message: JsonObject, change: (data: JsonObject) => JsonObject): JsonObject {
  const { result } = message;
  if (!isObject(result) || result.isError === true || !Array.isArray(result.content)) return message;
  const { structuredContent: structured } = result;
  const content = result.content.map((part: unknown) => {
    const copy = isObject(part) && typeof part.text === 'string' ? parseObject(part.text) : undefined;
    return copy === undefined ? part : { ...(part as JsonObject), text: JSON.stringify(change(copy)) };
  });
  return {
    ...message,
    result: { ...result, content, ...(isObject(structured) && { structuredContent: change(structured) }) },
  };
}

export function writeJson(
  response: ServerResponse,
  message: JsonObject,
  headers: Record<string, string> = {},
): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(message));
}

function noSession(response: ServerResponse): void {
  const error = { code: -32_001, message: 'Session not found' };
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
}
