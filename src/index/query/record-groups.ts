import type { AgentDocument } from '../../domain/agent-document.ts';
import type { RecordGroups } from '../../domain/agent-query.ts';

/** The groups of a document as JSON texts, as the engines store them. */
export function recordGroups({
  base,
  properties,
  capabilities,
  compliance,
}: AgentDocument): RecordGroups & { readonly compliance: string } {
  return {
    base: JSON.stringify(base),
    ...(properties && { properties: JSON.stringify(properties) }),
    ...(capabilities && { capabilities: JSON.stringify(capabilities) }),
    compliance: JSON.stringify(compliance),
  };
}
