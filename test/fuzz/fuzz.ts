import fc from 'fast-check';

/** Something that reads what strangers write. */
export interface FuzzedParser {
  readonly name: string;
  readonly texts: fc.Arbitrary<string>;
  /** Returns for whatever text, or throws one of the errors that it promises. */
  read(text: string): unknown;
  /** Whether an error is one of those. Default: none is. */
  readonly promises?: (error: unknown) => boolean;
}

/** One input of a parser: the same seed and number make the same text. */
export interface FuzzedInput {
  readonly seed: number;
  readonly number: number;
  readonly text: string;
}

export interface FuzzedRun {
  readonly parser: string;
  readonly inputs: number;
  /** The longest of all, milliseconds of the processor, and its input. */
  readonly longestMs: number;
  readonly longest?: FuzzedInput;
  /** Inputs over the budget, and inputs for which the parser threw. */
  readonly faults: readonly { readonly input: FuzzedInput; readonly why: string }[];
}

/** Inputs that are made of one seed. */
const BATCH = 500;
/** A collection of garbage is not there again; a slow parser is. */
const AGAIN = 3;
const MAX_FAULTS = 5;

interface FuzzOptions {
  readonly inputs: number;
  readonly seed: number;
  /** For each input. */
  readonly budgetMs: number;
  /** Default: what this thread has taken of the processor so far. */
  readonly processorMs?: () => number;
}

/**
 * Gives a parser so many inputs. Time is that of the processor in this thread, so that neighbours on the machine do not
 * count; and the shortest of three where the first is remarkable, so that the garbage of others does not count either.
 */
export function fuzz(parser: FuzzedParser, options: FuzzOptions): FuzzedRun {
  const { inputs, seed, budgetMs, processorMs = threadMs } = options;
  let longestMs = 0;
  let longest: FuzzedInput | undefined;
  const faults: { input: FuzzedInput; why: string }[] = [];
  for (let done = 0; done < inputs && faults.length < MAX_FAULTS; done += BATCH) {
    const batch = { seed: seed + done / BATCH, numRuns: Math.min(BATCH, inputs - done) };
    for (const [number, text] of fc.sample(parser.texts, batch).entries()) {
      const input = { seed: batch.seed, number, text };
      const { ms, thrown } = timed(parser, text, Math.max(longestMs, budgetMs / 5), processorMs);
      if (thrown !== undefined) faults.push({ input, why: thrown });
      if (ms > budgetMs) faults.push({ input, why: `it took ${ms.toFixed(0)} ms` });
      if (ms > longestMs) [longestMs, longest] = [ms, input];
    }
  }
  return { parser: parser.name, inputs, longestMs, ...(longest && { longest }), faults };
}

/** The input again, by the seed and the number that a report has. */
export function inputOf(parser: FuzzedParser, seed: number, number: number): string {
  return fc.sample(parser.texts, { seed, numRuns: BATCH })[number] ?? '';
}

/** The time of a text: the shortest of a few where the first is remarkable. */
function timed(
  parser: FuzzedParser,
  text: string,
  remarkableMs: number,
  processorMs: () => number,
): { ms: number; thrown?: string } {
  let ms = Number.POSITIVE_INFINITY;
  for (let round = 0; round < AGAIN && ms > remarkableMs; round += 1) {
    const started = processorMs();
    try {
      parser.read(text);
    } catch (error) {
      if (parser.promises?.(error) !== true) return { ms: 0, thrown: String(error) };
    }
    ms = Math.min(ms, processorMs() - started);
  }
  return { ms };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
