import { randomUUID } from 'node:crypto';
import type { BatchSpan, Span, Tracing, VisitSpan } from '../ports/tracing.ts';
import type { Logger } from './log.ts';
import type { SpanSink } from './otel.ts';

/** Traces that a line of the log names, and those that one batch makes spans for. */
const MAX_TRACES = 100;
const NO_SPAN: Span = { set() {} };
const untraced = <T>(_start: unknown, work: (span: Span) => Promise<T>): Promise<T> => work(NO_SPAN);

/** Nobody wants to know. */
export const NO_TRACING: Tracing = { visit: untraced, batch: untraced, close: async () => {} };

/** A new trace id (W3C Trace Context, trace-id): 32 lower-case hexadecimal digits. */
export function newTraceId(): string {
  return randomUUID().replaceAll('-', '');
}

interface Traceable {
  readonly log: Logger;
  readonly tracing: Tracing;
}

/** Makes a visit under its trace: the one that led to it, or a new one. Its log lines and its span name that trace. */
export function traced<T, C extends Traceable>(
  { name, attributes }: Omit<VisitSpan, 'trace'>,
  work: { readonly trace?: string },
  context: C,
  visit: (context: C & { readonly traced: { readonly trace: string; readonly span: Span } }) => Promise<T>,
): Promise<T> {
  const trace = work.trace ?? newTraceId();
  const log = context.log.child({ trace_id: trace });
  return context.tracing.visit({ name, trace, attributes }, (span) =>
    visit({ ...context, log, traced: { trace, span } }),
  );
}

interface TracingOptions {
  readonly log: Logger;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Tracing as the environment asks for it: batches are logged at debug, and spans are sent by OTLP over HTTP
 * when an endpoint is named (OpenTelemetry's own variables). The packages for that are loaded only then.
 */
export async function openTracing({ log, env = process.env }: TracingOptions): Promise<Tracing> {
  if (!hasEndpoint(env)) return { ...NO_TRACING, batch: (start, work) => loggedBatch(log, start, work) };
  const { openSpanSink } = await import('./otel.ts');
  return exported(openSpanSink({ log, env }), log);
}

function hasEndpoint(env: NonNullable<TracingOptions['env']>): boolean {
  if (env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return false;
  return Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}

function exported(sink: SpanSink, log: Logger): Tracing {
  return {
    visit: (start, work) => sink.run(start.name, [start.trace], start.attributes, work),
    batch: (start, work) =>
      loggedBatch(log, start, () => {
        const traces = distinct(start.traces);
        return sink.run(start.name, traces.length > 0 ? traces : [newTraceId()], start.attributes, work);
      }),
    close: () => sink.close(),
  };
}

async function loggedBatch<T>(log: Logger, start: BatchSpan, work: (span: Span) => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work(NO_SPAN);
  if (log.isLevelEnabled('debug')) {
    const durationMs = Math.round(performance.now() - startedAt);
    log.debug({ ...start.attributes, trace_ids: distinct(start.traces), durationMs }, start.name);
  }
  return result;
}

function distinct(traces: BatchSpan['traces']): readonly string[] {
  const known = new Set<string>();
  for (const trace of traces) {
    if (trace !== undefined) known.add(trace);
    if (known.size === MAX_TRACES) break;
  }
  return [...known];
}
