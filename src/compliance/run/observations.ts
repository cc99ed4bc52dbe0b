import { taskNamed } from '../../protocol/tasks.ts';
import type { MadeThing, RunObservation, StepResult } from '../run-result.ts';

/** An answer that takes longer is worth a word, milliseconds. */
const SLOW_MS = 5_000;

/** Advice that follows from a run and is no failure. Anybody may read it, so it holds names of tasks and numbers, and nothing of the agent's words. */
export function observationsOf(
  steps: readonly StepResult[],
  made: readonly MadeThing[],
): readonly RunObservation[] {
  return [...slow(steps), ...gaps(steps), ...left(made)];
}

function slow(steps: readonly StepResult[]): readonly RunObservation[] {
  const tasks = named(steps.filter(({ duration_ms: ms }) => ms > SLOW_MS));
  if (tasks.length === 0) return [];
  return [
    observation(
      'performance',
      'warning',
      `took more than ${SLOW_MS / 1_000} s to answer: ${tasks.join(', ')}`,
    ),
  ];
}

function gaps(steps: readonly StepResult[]): readonly RunObservation[] {
  const tasks = named(steps.filter((step) => step.coverage_gap === true));
  if (tasks.length === 0) return [];
  const told = `could not be tested for want of what the agent should offer: ${tasks.join(', ')}`;
  return [observation('coverage', 'info', told)];
}

function left(made: readonly MadeThing[]): readonly RunObservation[] {
  if (made.every(({ cancelled }) => cancelled !== 'no')) return [];
  return [observation('clean_up', 'warning', 'did not let the run end what it had made in the sandbox')];
}

function named(steps: readonly StepResult[]): readonly string[] {
  return [...new Set(steps.flatMap(({ task }) => taskNamed(task) ?? []))].toSorted();
}

function observation(category: string, severity: string, message: string): RunObservation {
  return { category, severity, message };
}
