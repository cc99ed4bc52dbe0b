import type { AgentDocument } from '../domain/agent-document.ts';
import type { AgentFilter } from '../domain/agent-query.ts';

/**
 * Whether a document is among the answers under a filter (specification, 4.1). This is the meaning of the
 * filters: every engine must agree with it. Each condition holds for the agent as a whole, so `metric_id` and
 * `accreditation` may be met by different metrics.
 */
export function matches(filter: AgentFilter, document: AgentDocument): boolean {
  const { type, metricIds, accreditations, q, verified, verificationModes } = filter;
  if (type !== undefined && document.type !== type) return false;
  if (metricIds !== undefined && !metricIds.some((id) => document.metricIds.includes(id))) return false;
  if (
    accreditations !== undefined &&
    !accreditations.some((body) => document.accreditations.includes(body))
  ) {
    return false;
  }
  if (q !== undefined && !document.metricIds.some((id) => id.toLowerCase().includes(q))) return false;
  if (verified && document.badges.length === 0) return false;
  if (verificationModes === undefined) return true;
  return document.badges.some((badge) => verificationModes.every((axis) => badge.axes.includes(axis)));
}

/** The order of every list: by UTF-16 code unit, which for a canonical (ASCII) URL is byte order as well. */
export function compareUrls(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
