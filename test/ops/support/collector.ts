import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A span as it arrives, its attributes as plain values. */
export interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly service: unknown;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface RawSpan {
  readonly name: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly status?: { readonly code?: number };
  readonly attributes: readonly Attribute[];
}
interface Request {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly RawSpan[] }[];
  }[];
}

/** STATUS_CODE_ERROR of the OpenTelemetry protocol. */
const ERROR = 2;

/** Receives traces by OTLP over HTTP, as a collector does; ends with the test. */
export async function startCollector() {
  const spans: SentSpan[] = [];
  const server = createServer(async (request, response) => {
    if (request.url !== '/v1/traces') return void response.writeHead(404).end();
    spans.push(...read((await json(request)) as Request));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans };
}

function read({ resourceSpans }: Request): SentSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = plain(resource.attributes)['service.name'];
    return scopeSpans.flatMap((scope) => scope.spans.map((span) => sentSpan(span, service)));
  });
}

function sentSpan({ name, traceId, parentSpanId, status, attributes }: RawSpan, service: unknown): SentSpan {
  const failed = status?.code === ERROR;
  const parent = parentSpanId === undefined || parentSpanId === '' ? {} : { parentSpanId };
  return { name, traceId, failed, attributes: plain(attributes), service, ...parent };
}

function plain(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
