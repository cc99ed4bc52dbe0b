import type { Result, StoryboardOutcome } from './judged-run.ts';

/** A run while it goes on: what it has done so far, for whoever asked for it. The words are the bundle's. */
export interface RunSoFar {
  /** That the run has chosen. */
  readonly storyboards: number;
  /** Of all of them. */
  readonly steps: number;
  /** Those begun, in their order. */
  readonly begun: readonly StoryboardSoFar[];
}

export interface StoryboardSoFar {
  readonly id: string;
  readonly title: string;
  /** Absent while it goes on. */
  readonly result?: StoryboardOutcome;
  readonly steps: readonly StepSoFar[];
}

interface StepSoFar {
  readonly title: string;
  readonly result: Result;
  readonly duration_ms: number;
}
