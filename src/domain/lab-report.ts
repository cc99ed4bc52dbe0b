import type { JsonObject } from '../base/json.ts';
import type { ProbeStep } from './observation.ts';

/** Letters from the best down. */
type LabGrade = 'A' | 'B' | 'C' | 'D' | 'F';

/** One thing that the lab looked at; `skipped` counts for nothing. */
export interface LabCheck {
  /** Stable, snake_case. */
  readonly id: string;
  readonly title: string;
  readonly result: 'passed' | 'partly' | 'failed' | 'skipped';
  readonly points: number;
  readonly outOf: number;
  /** What was seen, one sentence. */
  readonly reason: string;
  /** What to do. */
  readonly hint?: string;
}

/** What was seen of one agent without any proof of who owns it: only reading, and questions that must be refused. */
export interface LabResult {
  readonly grade: LabGrade;
  readonly points: number;
  readonly outOf: number;
  readonly name?: string;
  /** What was dialled, where that is another spelling than the agent's canonical URL. */
  readonly dialledUrl?: string;
  readonly protocols: readonly string[];
  readonly checks: readonly LabCheck[];
  readonly steps: readonly ProbeStep[];
  /** Whole milliseconds. */
  readonly durationMs: number;
}

/** What an agent offers, or why that is not known: one sentence, lower case. `count` is of all, where the list is cut. */
export type AgentProducts =
  | { readonly products: readonly JsonObject[]; readonly count: number; readonly failure?: undefined }
  | { readonly failure: string };

/** Examines agents for strangers, beside the loop. */
export interface AgentExams {
  /** `url` is what is dialled (`AgentStore.dialled`). Rejects when the exam could not be made; never for what the agent does. */
  examine(url: string): Promise<LabResult>;
  /** Asks without a credential; `url` as for `examine`. Rejects as `examine` does. */
  products(url: string): Promise<AgentProducts>;
}
