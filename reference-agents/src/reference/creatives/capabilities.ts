import type { GetProtoCapabilitiesResponse } from 'agent-registry/agent-kit';
import type { AgentSpec } from '../../agents/agent.ts';
import { FORMATS } from './formats.ts';

type CreativeSection = NonNullable<GetProtoCapabilitiesResponse['creative']>;

/** What a creative agent says of itself; one that wants its formats listed leaves them out. */
export function capabilitiesOfCreative(
  spec: Pick<AgentSpec, 'without' | 'formatsListedOnly'>,
): CreativeSection {
  const generates = spec.without?.includes('build_creative') !== true;
  if (spec.formatsListedOnly === true) return { generates };
  return { supported_formats: FORMATS.map(({ id }) => id), generates };
}
