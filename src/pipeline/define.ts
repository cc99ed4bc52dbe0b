import { classify } from './classify.ts';

/** One step of a pipeline: what came in, with the run's own context, to what goes on. */
export type Stage<In, Out, Run> = (input: In, run: Run) => Promise<readonly Out[]> | readonly Out[];

/** A named chain of stages. The types make a wrong order a compile error. */
export interface Pipeline<In, Out, Run> {
  readonly name: string;
  /** Names of the stages, in order. */
  readonly stages: readonly string[];
  /** Appends a stage. */
  stage<Next>(name: string, work: Stage<Out, Next, Run>): Pipeline<In, Next, Run>;
  /**
   * Runs one input through all stages; what a stage yields goes on item by item. Rejects with a StageError that
   * names the stage and says whether a later try may help.
   */
  run(input: In, run: Run): Promise<readonly Out[]>;
}

/** A stage that threw: never for content, always a fault of ours or of a store. */
export class StageError extends Error {
  readonly pipeline: string;
  readonly stage: string;
  readonly retry: 'later' | 'never' | 'stop';

  constructor(pipeline: string, stage: string, cause: unknown) {
    super(`${pipeline} failed at ${stage}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.name = 'StageError';
    this.pipeline = pipeline;
    this.stage = stage;
    this.retry = classify(cause);
  }
}

/** Starts a pipeline: its input is its output until a stage is added. */
export function definePipeline<In, Run>(name: string): Pipeline<In, In, Run> {
  return chain(name, [], async (input: In) => [input]);
}

function chain<In, Out, Run>(
  name: string,
  stages: readonly string[],
  run: (input: In, context: Run) => Promise<readonly Out[]>,
): Pipeline<In, Out, Run> {
  return {
    name,
    stages,
    run,
    stage: <Next>(stageName: string, work: Stage<Out, Next, Run>) =>
      chain<In, Next, Run>(name, [...stages, stageName], async (input, context) => {
        const outputs: Next[] = [];
        for (const item of await run(input, context))
          outputs.push(...(await guarded(name, stageName, work, item, context)));
        return outputs;
      }),
  };
}

async function guarded<In, Out, Run>(
  pipeline: string,
  stage: string,
  work: Stage<In, Out, Run>,
  input: In,
  run: Run,
): Promise<readonly Out[]> {
  try {
    return await work(input, run);
  } catch (error) {
    throw new StageError(pipeline, stage, error);
  }
}
