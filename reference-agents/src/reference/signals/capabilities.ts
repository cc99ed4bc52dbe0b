import type { GetProtoCapabilitiesResponse } from 'agent-registry/agent-kit';
import { AUDIENCE_TYPES, PLATFORMS } from './segment-table.ts';

/** What a signals agent says of itself. */
export function capabilitiesOfSignals(): NonNullable<GetProtoCapabilitiesResponse['signals']> {
  return { audience_types: AUDIENCE_TYPES, destinations: PLATFORMS };
}
