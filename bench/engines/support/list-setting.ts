import type { Serving } from '../../support/side.ts';

/** A server in a process of its own; it answers each message with the CPU time that it has used, milliseconds. */
export type MeasuredServer = Serving<number> & { readonly ready: { readonly port: number } };

/** What the measurements of the list operation share. */
export interface ListSetting {
  readonly agents: number;
  readonly seed: number;
  readonly ours: MeasuredServer;
  readonly cursorSecret: Uint8Array;
  /** Address and process of the OpenSearch, and the name that searches go to. */
  readonly engine: { readonly url: string; readonly pid: number; readonly target: string };
  /** For one search, milliseconds. */
  readonly timeoutMs: number;
}
