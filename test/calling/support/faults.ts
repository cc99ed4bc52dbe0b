import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { bodyOf } from './serve.ts';

/** Takes the place of one answer of an agent. */
export type Fault = (response: ServerResponse) => void;

/** What a request is: the method of its JSON-RPC message, the task of a `tools/call`, or `GET` with the path. */
export type Kind = string;

/** An agent whose listener takes a body that was read before. */
type Agent = (request: IncomingMessage, response: ServerResponse, body?: unknown) => unknown;

/**
 * An agent behind a proxy that answers some of its requests itself: the n-th request of a kind gets the n-th fault of that
 * kind, and later ones reach the agent. `seen` gets the kind of every request.
 */
export function withFaults(
  agent: Agent,
  faults: Readonly<Record<Kind, readonly Fault[]>>,
  seen: Kind[] = [],
): RequestListener {
  const counts = new Map<Kind, number>();
  return async (request, response) => {
    const body = request.method === 'POST' ? await bodyOf(request) : undefined;
    const kind = kindOf(request, body);
    const count = counts.get(kind) ?? 0;
    counts.set(kind, count + 1);
    seen.push(kind);
    const fault = faults[kind]?.[count];
    if (fault === undefined) await agent(request, response, body);
    else fault(response);
  };
}

function kindOf({ method, url }: IncomingMessage, body: Record<string, unknown> | undefined): Kind {
  if (body === undefined) return `${method} ${url}`;
  const params = (body.params ?? {}) as Record<string, unknown>;
  return body.method === 'tools/call' ? String(params.name) : String(body.method);
}

/** An HTTP answer. */
export function answers(
  status: number,
  body = '',
  headers: Record<string, string> = { 'content-type': 'text/plain' },
): Fault {
  return (response) => void response.writeHead(status, headers).end(body);
}

/** The connection breaks before an answer. */
export const RESET: Fault = (response) => void response.socket?.resetAndDestroy();
/** The connection breaks in the middle of an answer. */
export const CUT: Fault = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"jsonrpc":"2.0",', () => response.socket?.destroy());
};
