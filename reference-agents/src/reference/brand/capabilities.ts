import type { GetProtoCapabilitiesResponse } from 'agent-registry/agent-kit';
import type { AgentSpec } from '../../agents/agent.ts';

/** What a brand agent or a rights agent says of itself: both speak the brand protocol. */
export function capabilitiesOfBrand({
  type,
}: Pick<AgentSpec, 'type'>): NonNullable<GetProtoCapabilitiesResponse['brand']> {
  return { supported: type === 'brand', rights: type === 'rights' };
}
