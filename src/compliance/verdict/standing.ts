export type { Attempt, AttemptOutcome, Away, LatestRun, SeenRuns, Standing } from '../../domain/standing.ts';
export { NEVER_RUN } from '../../domain/standing.ts';
