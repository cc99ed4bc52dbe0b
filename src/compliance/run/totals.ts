import { type ComplianceRun, countResults } from '../run-result.ts';

type Results = Pick<ComplianceRun, 'storyboards' | 'steps'>;

/** How many storyboards, steps and checks passed, failed and were skipped. */
export function totalsOf({ storyboards, steps }: Results): ComplianceRun['totals'] {
  const checks = steps.flatMap((step) => step.checks);
  const count = (result: string) => checks.filter((check) => check.result === result).length;
  return {
    storyboards: countResults(storyboards),
    steps: countResults(steps),
    checks: {
      total: checks.length,
      passed: count('pass'),
      failed: count('fail'),
      not_applicable: count('not_applicable'),
    },
  };
}
