/** A value of an attribute; names follow the OpenTelemetry semantic conventions where there is one. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** A span of the work in progress. */
export interface Span {
  set(attributes: Attributes): void;
}

export interface VisitSpan {
  readonly name: 'crawl.visit' | 'probe' | 'compliance.run';
  /** 32 lower-case hexadecimal digits (W3C Trace Context, trace-id). */
  readonly trace: string;
  readonly attributes: Attributes;
}

export interface BatchSpan {
  readonly name: 'stitch' | 'index.write';
  /** Traces of the visits that caused this work; duplicates and missing ones are allowed. */
  readonly traces: readonly (string | undefined)[];
  readonly attributes: Attributes;
}

/** Records spans. The span of work that rejects is marked as failed; the error is passed on. */
export interface Tracing {
  /** One visit or probe: a span in its trace. */
  visit<T>(start: VisitSpan, work: (span: Span) => Promise<T>): Promise<T>;
  /** Work caused by many visits: a span in the trace of each, and one line in the log. */
  batch<T>(start: BatchSpan, work: (span: Span) => Promise<T>): Promise<T>;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}
