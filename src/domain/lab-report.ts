import type { JsonObject } from '../base/json.ts';
import type { ProbeStep } from './observation.ts';

/** Letters from the best down. */
type LabGrade = 'A' | 'B' | 'C' | 'D' | 'F';

/** The least percentage of the points for each grade, from the best down. */
export const LAB_GRADES: readonly { readonly grade: LabGrade; readonly from: number }[] = [
  { grade: 'A', from: 95 },
  { grade: 'B', from: 85 },
  { grade: 'C', from: 70 },
  { grade: 'D', from: 50 },
  { grade: 'F', from: 0 },
];

/** One check of the lab; a skipped one does not count. */
export interface LabCheck {
  /** Stable, snake_case. */
  readonly id: string;
  readonly title: string;
  readonly result: 'passed' | 'partly' | 'failed' | 'skipped';
  readonly points: number;
  readonly outOf: number;
  /** What was found, one sentence. */
  readonly reason: string;
  /** What to do. */
  readonly hint?: string;
}

/** The result of an exam, for which no proof of ownership is needed: it reads, and sends requests that the agent must reject. */
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
