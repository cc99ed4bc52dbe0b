import type { PricingOption } from '@agent-registry/surface/agent-kit';
import { type AgentSpec, hostOf } from '../../agents/agent.ts';
import { refuse, type TaskCall } from '../handler.ts';
import { LIKENESSES, type SandboxRight, WORKS } from './right-table.ts';

/** The office that deals in print and music; every other rights agent deals in faces and voices. */
const OFFICE_OF_WORKS = 'cuttlebone.example';

/** The rights that an agent deals in. */
export function rightsOf(spec: AgentSpec): readonly SandboxRight[] {
  return hostOf(spec) === OFFICE_OF_WORKS ? WORKS : LIKENESSES;
}

/** The right of this id. Refuses REFERENCE_NOT_FOUND. */
export function findRight(call: TaskCall, id: string, pointer: string): SandboxRight {
  const found = rightsOf(call.agent.spec).find((right) => right.id === id);
  return found ?? refuse('REFERENCE_NOT_FOUND', 'unknown right', pointer, 'find rights with get_rights');
}

/** The pricing option of this id, or the first when none is named. Refuses PRICING_OPTION_NOT_FOUND. */
export function rightPrice(
  { pricing }: SandboxRight,
  id: string | undefined,
  pointer: string,
): PricingOption {
  const found = id === undefined ? pricing[0] : pricing.find((option) => option.pricing_option_id === id);
  if (found !== undefined) return found;
  const ids = pricing.map(({ pricing_option_id: one }) => one).join(', ');
  return refuse(
    'PRICING_OPTION_NOT_FOUND',
    'unknown pricing option of this right',
    pointer,
    `known pricing options: ${ids}`,
  );
}

/** What a right is wanted for. Uses and countries that are not said are all that it has. */
export interface Wanted {
  readonly brandDomain?: string | undefined;
  readonly uses?: readonly string[] | undefined;
  readonly countries?: readonly string[] | undefined;
}

/** Why a right cannot be had for this; undefined when it can. In words of ours alone. */
export function whyRefused(
  right: SandboxRight,
  { brandDomain, uses = [], countries = [] }: Wanted,
): string | undefined {
  const brand = brandDomain?.toLowerCase();
  if (right.heldBy !== undefined && right.heldBy !== brand) return 'another brand has an exclusive licence';
  if (brand !== undefined && right.notFor.includes(brand))
    return 'the holder does not license the right to this brand';
  if (uses.some((use) => !right.uses.includes(use))) return `available only for ${right.uses.join(', ')}`;
  const outside = countries.some((country) => !right.countries.includes(country.toUpperCase()));
  return outside ? `available only for ${right.countries.join(', ')}` : undefined;
}
