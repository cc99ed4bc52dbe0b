import {
  DiagLogLevel,
  diag,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  NodeTracerProvider,
  RandomIdGenerator,
} from '@opentelemetry/sdk-trace-node';
import { RegistryError } from '../errors.ts';
import type { Attributes, Span } from '../ports/tracing.ts';
import type { Logger } from './log.ts';

/** A collector that does not answer is not to hold up the end of a command for longer, milliseconds. */
const EXPORT_TIMEOUT_MS = 3_000;
const SERVICE = 'agent-registry';

/** Where spans go. */
export interface SpanSink {
  /** Does some work under a span in each of these traces. */
  run<T>(
    name: string,
    traces: readonly string[],
    attributes: Attributes,
    work: (span: Span) => Promise<T>,
  ): Promise<T>;
  close(): Promise<void>;
}

export interface SpanSinkOptions {
  readonly log: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Sends spans to the endpoint that OpenTelemetry's own variables name (OTLP over HTTP with JSON), in batches. */
export function openSpanSink({ log, env }: SpanSinkOptions): SpanSink {
  const warn = (message: string) => log.warn({ reason: message }, 'traces could not be exported');
  const silent = () => {};
  diag.setLogger(
    { error: warn, warn: silent, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
  const ids = givenTraceIds();
  const timeoutIsSet = env.OTEL_EXPORTER_OTLP_TIMEOUT ?? env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT;
  const exporter = new OTLPTraceExporter(timeoutIsSet ? {} : { timeoutMillis: EXPORT_TIMEOUT_MS });
  const provider = new NodeTracerProvider({
    idGenerator: ids,
    resource: resource(),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer(SERVICE);
  return {
    run: (name, traces, attributes, work) =>
      underSpans(
        traces.map((trace) => startSpan(tracer, ids, { name, trace, attributes })),
        work,
      ),
    close: () => provider.shutdown().catch((error: unknown) => warn(String(error))),
  };
}

/** What OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say goes over our own name. */
function resource() {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': SERVICE }))
    .merge(detectResources({ detectors: [envDetector] }));
}

/** A trace goes through many processes, which know its id and not each other's spans: each span is a root of it. */
function startSpan(
  tracer: Tracer,
  ids: GivenTraceIds,
  { name, trace, attributes }: { name: string; trace: string; attributes: Attributes },
): OtelSpan {
  ids.next = trace;
  return tracer.startSpan(
    name,
    { root: true, kind: SpanKind.INTERNAL, attributes: writable(attributes) },
    ROOT_CONTEXT,
  );
}

async function underSpans<T>(spans: readonly OtelSpan[], work: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await work({
      set: (attributes) => {
        for (const span of spans) span.setAttributes(writable(attributes));
      },
    });
  } catch (error) {
    for (const span of spans) markFailed(span, error);
    throw error;
  } finally {
    for (const span of spans) span.end();
  }
}

function markFailed(span: OtelSpan, error: unknown): void {
  const type = error instanceof RegistryError ? error.code : error instanceof Error ? error.name : 'unknown';
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : type });
}

function writable(attributes: Attributes): Record<string, string | number | boolean | string[]> {
  return attributes as Record<string, string | number | boolean | string[]>;
}

/** Root spans get the trace id that is set just before they are started. */
interface GivenTraceIds extends IdGenerator {
  next: string;
}

function givenTraceIds(): GivenTraceIds {
  const random = new RandomIdGenerator();
  const ids: GivenTraceIds = {
    next: random.generateTraceId(),
    generateTraceId: () => ids.next,
    generateSpanId: () => random.generateSpanId(),
  };
  return ids;
}
