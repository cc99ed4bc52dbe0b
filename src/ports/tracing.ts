/** A value of an attribute; names follow the OpenTelemetry semantic conventions where there is one. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** A piece of work that is being traced. */
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
  /** Of the visits that led to this work, each any number of times; unknown ones may be left out. */
  readonly traces: readonly (string | undefined)[];
  readonly attributes: Attributes;
}

/** Says what was done under which trace. A piece of work that rejects is marked as failed, and rejects the same way. */
export interface Tracing {
  /** One visit or probe: a span in its trace. */
  visit<T>(start: VisitSpan, work: (span: Span) => Promise<T>): Promise<T>;
  /** Work that many visits led to: a span in the trace of each, and one line in the log. */
  batch<T>(start: BatchSpan, work: (span: Span) => Promise<T>): Promise<T>;
  /** Sends what has not been sent. */
  close(): Promise<void>;
}
