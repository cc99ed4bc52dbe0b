import { RegistryError } from '../../errors.ts';
import type { ComplianceState } from '../../ports/compliance.ts';
import type { Records } from '../../ports/records.ts';

/** An agent's compliance for the operator's eyes; `not_found` for an agent never heard of. */
export async function complianceOf(
  { compliance }: Pick<Records, 'compliance'>,
  agent: string,
): Promise<ComplianceState> {
  const state = await compliance.state(agent);
  if (state === undefined) throw neverHeardOf(agent);
  return state;
}

/** The operator sees what the store holds, also of an agent that opted out. */
export function operatorsView(agent: string, state: ComplianceState) {
  return { agent, state: { ...state, settings: { ...state.settings, optedOut: false } }, isOwner: true };
}

export function neverHeardOf(agent: string): RegistryError {
  return new RegistryError('not_found', `the registry has never heard of ${agent}`, {
    hint: 'register it first: agent-registry agents register URL --member SLUG',
  });
}
