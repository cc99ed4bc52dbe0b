import type { Logger } from '../src/ops/log.ts';
import { newTraceId } from '../src/ops/trace.ts';
import type { Span, Tracing, VisitSpan } from '../src/ports/tracing.ts';

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
