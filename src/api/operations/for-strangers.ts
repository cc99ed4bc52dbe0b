import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Budgets } from '../../budgets/budgets.ts';
import type { FileChecks } from '../../discovery/file-checks.ts';
import type { AgentExams } from '../../domain/lab-report.ts';
import type { Metrics } from '../../ops/metrics.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { createLab, type Lab } from './lab/exams.ts';
import { labOperations } from './lab/lab.ts';
import { type BoundedChecks, createBoundedChecks } from './validation/bounded-checks.ts';
import { type ValidationParts, validationOperations } from './validation/validate.ts';

interface WorkParts {
  readonly records: Records;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: FastifyBaseLogger;
  readonly budgets: Budgets;
  readonly checks?: FileChecks & Partial<AgentExams>;
}

/** Checks on behalf of callers, within their budgets; operations and pages share them. */
export interface WorkForStrangers {
  /** Absent: this process checks no files. */
  readonly checks?: BoundedChecks;
  readonly lab: Lab;
  /** Requests the products of an agent. Absent: this process sends no such requests. */
  readonly ask?: AgentExams['products'];
}

/** The same parts, with budgets. */
export function withBounds<T extends WorkParts>({
  checks,
  ...parts
}: T): Omit<T, 'checks'> & WorkForStrangers {
  const { clock, metrics, records, logger, budgets } = parts as Omit<T, 'checks'> & WorkParts;
  const examine = checks?.examine?.bind(checks);
  const products = checks?.products?.bind(checks);
  return {
    ...parts,
    ...(products && { ask: products }),
    ...(checks && { checks: createBoundedChecks({ checks, clock, budgets, metrics }) }),
    lab: createLab({ records, clock, logger, budgets, ...(examine && { exams: { examine } }) }),
  };
}

/** The operations that contact other sites on behalf of any caller. */
export function strangerOperations(server: FastifyInstance, parts: ValidationParts & WorkForStrangers): void {
  validationOperations(server, parts);
  labOperations(server, parts);
}
