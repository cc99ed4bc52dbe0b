import { type Difference, KEPT_BESIDE_FACTS, type Rederive, type SelfCheck } from '../domain/self-check.ts';
import { RegistryError } from '../errors.ts';
import type { AgentIndex } from '../ports/agent-index.ts';
import type { Records } from '../ports/records.ts';

/** One line of the doctor's list. */
export interface DoctorCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do about it. */
  readonly hint?: string;
  /** Of a check that compares: how much differs. */
  readonly differences?: number;
}

/** A check that did not pass for this error. */
export function failedCheck(name: string, error: unknown): DoctorCheck {
  return { name, ok: false, ...reason(error) };
}

function reason(error: unknown): { readonly detail: string; readonly hint?: string } {
  if (!(error instanceof RegistryError))
    return { detail: error instanceof Error ? error.message : String(error) };
  return { detail: error.message, ...(error.hint !== undefined && { hint: error.hint }) };
}

/** How a sample is recomputed, and how large it is. */
export interface DeepParts {
  readonly sample: number;
  readonly compareSample: (
    records: Records,
    index: AgentIndex,
    after: readonly string[],
  ) => Promise<readonly Difference[]>;
  readonly derive: Rederive;
  /** Keeps what was found, for the metric; absent: nothing is kept. */
  readonly keep?: (found: SelfCheck) => Promise<void>;
}

/** Differences that are told. */
const MAX_TOLD = 5;

/** Recomputes what is kept beside facts for a sample; the index only where it has every change. */
export async function deepCheck(
  { sample, compareSample, derive, keep }: DeepParts,
  { records, index }: { readonly records: Records; readonly index: AgentIndex },
  isCurrent: boolean,
): Promise<DoctorCheck> {
  const { agents, publishers, differences: counted } = await records.recount(sample, derive);
  const indexed = isCurrent ? await compareSample(records, index, agents) : [];
  const differences = [...counted, ...indexed];
  await keep?.({
    ...{ at: records.clock.now(), agents: agents.length, publishers, differences: differences.length },
  });
  const looked = `${agents.length} agents and ${publishers} publishers recomputed${isCurrent ? '' : '; the index lags behind and was not compared'}`;
  const ok = differences.length === 0;
  const kinds = KEPT_BESIDE_FACTS.filter((kind) => differences.some((one) => one.kind === kind));
  const name = 'self-check';
  if (ok) return { name, ok, detail: `${looked}, no differences`, differences: 0 };
  return {
    name,
    ok,
    detail: `${looked}, ${differences.length} differences (${kinds.join(', ')}): ${told(differences)}`,
    hint: 'keep a copy of the store and report the problem; "agent-registry index rebuild --yes" repairs differences of the index only',
    differences: differences.length,
  };
}

function told(differences: readonly Difference[]): string {
  const lines = differences
    .slice(0, MAX_TOLD)
    .map(
      ({ kind, of, kept, counted }) =>
        `${kind} of ${of}: stored ${short(kept)}, recomputed ${short(counted)}`,
    );
  return lines.join('; ');
}

function short(value: string): string {
  return value.length > 120 ? `${value.slice(0, 120)}…` : value;
}
