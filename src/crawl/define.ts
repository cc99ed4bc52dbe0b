import { RegistryError } from '../errors.ts';

/** What a failure of ours means for the work: try again later, never, or stop the whole run. */
type Retry = 'later' | 'never' | 'stop';

/** One step of a pipeline: what came in, with the run's own context, to what goes on. */
type Stage<In, Out, Run> = (input: In, run: Run) => Promise<readonly Out[]> | readonly Out[];

/** A named chain of stages. The types make a wrong order a compile error. */
interface Pipeline<In, Out, Run> {
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
  return chain(name, []);
}

/** A stage whose place in the chain has been checked: its types were those of its neighbours when it was added. */
interface Link<Run> {
  readonly name: string;
  readonly work: Stage<unknown, unknown, Run>;
}

function chain<In, Out, Run>(name: string, links: readonly Link<Run>[]): Pipeline<In, Out, Run> {
  return {
    name,
    stages: links.map((link) => link.name),
    run: (input, run) => runLinks(name, links, input, run) as Promise<readonly Out[]>,
    stage: <Next>(stageName: string, work: Stage<Out, Next, Run>) =>
      chain<In, Next, Run>(name, [...links, { name: stageName, work: work as Link<Run>['work'] }]),
  };
}

/** One loop and not a chain of promises: this runs several times for every visit. */
async function runLinks<Run>(
  pipeline: string,
  links: readonly Link<Run>[],
  input: unknown,
  run: Run,
): Promise<readonly unknown[]> {
  let items: readonly unknown[] = [input];
  for (const { name, work } of links) {
    const outputs: unknown[] = [];
    try {
      for (const item of items) outputs.push(...(await work(item, run)));
    } catch (error) {
      throw new StageError(pipeline, name, error);
    }
    items = outputs;
  }
  return items;
}

/**
 * Judges a thrown value once, where it leaves its stage. A broken store stops everything: nothing could be kept. An
 * index that is away stops nothing: the change log brings it up to date.
 */
export function classify(error: unknown): Retry {
  if (!(error instanceof RegistryError)) return 'later';
  if (error.code === 'interrupted' || error.code.startsWith('store_')) return 'stop';
  if (error.code.startsWith('index_') || error.code === 'lease_lost') return 'later';
  return error.retryable ? 'later' : 'never';
}
