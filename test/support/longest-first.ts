import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node';

/** Files whose path ends like one of these begin before the others, in this order, so that at the end none runs alone. */
export function longestFirst(long: readonly string[]): TestSequencerConstructor {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const sorted = await super.sort(files);
      const first = long.flatMap((end) => sorted.filter(({ moduleId }) => moduleId.endsWith(end)));
      return [...first, ...sorted.filter((file) => !first.includes(file))];
    }
  };
}
