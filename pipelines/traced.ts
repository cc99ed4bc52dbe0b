import type { VisitWork } from '../src/domain/source.ts';
import { newTraceId } from '../src/ops/trace.ts';
import type { VisitSpan } from '../src/ports/tracing.ts';
import type { VisitContext } from './crawl-context.ts';

/** Makes a visit under its trace: the one that led to it, or a new one. Its log lines and its span name that trace. */
export function traced<T>(
  { name, attributes }: Omit<VisitSpan, 'trace'>,
  work: VisitWork,
  context: VisitContext,
  visit: (context: VisitContext) => Promise<T>,
): Promise<T> {
  const trace = work.trace ?? newTraceId();
  const log = context.log.child({ trace_id: trace });
  return context.tracing.visit({ name, trace, attributes }, (span) =>
    visit({ ...context, log, traced: { trace, span } }),
  );
}
