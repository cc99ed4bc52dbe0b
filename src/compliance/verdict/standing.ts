export type { Attempt, AttemptOutcome, Away, LatestRun, Standing } from '../../domain/standing.ts';
export { NEVER_RUN } from '../../domain/standing.ts';
