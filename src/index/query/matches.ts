import type { AgentDocument } from '../../domain/agent-document.ts';
import type { AgentFilter } from '../../domain/agent-query.ts';
import { asked } from './filters.ts';

/**
 * Whether a document is among the answers under a filter: the meaning of the filters, which every engine is held to.
 * Each condition holds for the agent as a whole: `metric_id` and `accreditation` may be met by different metrics, unless
 * `same_metric` asks for one.
 */
export function matches(filter: AgentFilter, document: AgentDocument): boolean {
  return asked(filter).every(([entry, wanted]) => entry.matches(document, wanted, filter));
}
