import { type RebuildStep, rebuild } from '../../../pipelines/rebuild.ts';
import { systemClock } from '../../../src/compose/clock.ts';
import { openStore } from '../../../src/compose/engines.ts';
import { readConfig } from '../../../src/config.ts';
import { asSide } from '../../support/as-side.ts';

export interface RebuildInput {
  readonly store: string;
  readonly index: string;
}

export interface RebuildResult {
  readonly documents: number;
  /** Sample queries, and those of them that the two generations answer differently. */
  readonly asked: number;
  readonly differing: number;
  /** How long each step took, milliseconds. */
  readonly steps: readonly (readonly [RebuildStep, number])[];
}

/** What `agent-registry index rebuild --yes` does. */
await asSide(async ({ store: path, index }: RebuildInput): Promise<RebuildResult> => {
  const config = { ...readConfig({}), store: `sqlite:${path}`, index };
  const { records, index: agents, close } = await openStore(config, { create: false });
  const begun: (readonly [RebuildStep, number])[] = [];
  const { signal } = new AbortController();
  const switched = await rebuild(
    {
      ...{ records, index: agents, clock: systemClock, signal },
      onProgress: () => {},
      onRefused: () => {},
      onStep: (step) => begun.push([step, performance.now()]),
    },
    { acceptShrink: false },
  );
  const end = performance.now();
  await close();
  return {
    documents: switched.candidate,
    asked: switched.asked,
    differing: switched.differing.length,
    steps: begun.map(([step, at], place) => [step, (begun[place + 1]?.[1] ?? end) - at]),
  };
});
