import { RegistryError } from '../errors.ts';
import type { Engine, Metrics } from './metrics.ts';

const ENGINES: readonly Engine[] = ['store', 'index', 'queue'];

/** Counts an error that an engine is the reason of, and returns it; undefined for any other error. */
export function countFault(metrics: Pick<Metrics, 'fault'>, error: unknown): RegistryError | undefined {
  if (!(error instanceof RegistryError)) return undefined;
  const { code } = error;
  const engine = ENGINES.find((name) => code.startsWith(`${name}_`));
  if (engine === undefined) return undefined;
  metrics.fault(engine, code);
  return error;
}
