import { defined } from '../../base/json.ts';
import type { LabReport } from '../../records/sources/lab-reports.ts';

/** After this time an exam without a result is lost: its process has ended. */
export const LOST_MS = 90_000;

export const LAB_PATH = '/api/registry/lab';

/** The status of an exam. Without a result it is running, or lost. */
export function labStatus({ result, askedAt }: LabReport, now: number): 'running' | 'completed' | 'lost' {
  if (result !== undefined) return 'completed';
  return now - askedAt < LOST_MS ? 'running' : 'lost';
}

/** A report as the API returns it. */
export function labReportJson(report: LabReport, now: number): object {
  const { id, agent, askedAt, result } = report;
  return {
    ...{ id, agent_url: agent, status: labStatus(report, now), asked_at: new Date(askedAt).toISOString() },
    report_path: `/lab/${id}`,
    ...(result && {
      ...{ grade: result.grade, points: result.points, out_of: result.outOf, protocols: result.protocols },
      ...defined({ name: result.name, dialled_url: result.dialledUrl }),
      checks: result.checks.map(({ outOf, ...check }) => ({ ...check, out_of: outOf })),
      steps: result.steps.map(({ durationMs, ...step }) => ({ ...step, duration_ms: durationMs })),
      duration_ms: result.durationMs,
    }),
  };
}
