import { Counter, Gauge, type Registry } from 'prom-client';

/** A count of events, by labels. */
export function counter<L extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly L[],
) {
  return new Counter<L>({ name, help, labelNames, registers: [registry] });
}

/** A level, by labels. */
export function gauge<L extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly L[] = [],
) {
  return new Gauge<L>({ name, help, labelNames, registers: [registry] });
}
