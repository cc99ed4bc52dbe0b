import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node';

/** Files whose path ends like one of these begin before the others, so that at the end none runs alone. */
export function longestFirst(long: readonly string[]): TestSequencerConstructor {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const isLong = ({ moduleId }: TestSpecification) => long.some((end) => moduleId.endsWith(end));
      const sorted = await super.sort(files);
      return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
    }
  };
}
