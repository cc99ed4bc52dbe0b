import { describe, expect, it } from 'vitest';
import { classify, definePipeline, StageError } from '../../src/crawl/define.ts';
import { RegistryError } from '../../src/errors.ts';

describe('a pipeline', () => {
  const numbers = definePipeline<number, { readonly seen: string[] }>('numbers')
    .stage('split', (input, { seen }) => {
      seen.push(`split ${input}`);
      return [input, input + 1];
    })
    .stage('double', async (input, { seen }) => {
      seen.push(`double ${input}`);
      return [input * 2];
    })
    .stage('name', (input) => (input > 2 ? [`n${input}`] : []));

  it('names its stages in order', () => {
    expect(numbers.name).toBe('numbers');
    expect(numbers.stages).toEqual(['split', 'double', 'name']);
  });

  it('hands each item on, one stage after the other, and drops what a stage leaves out', async () => {
    const seen: string[] = [];
    expect(await numbers.run(1, { seen })).toEqual(['n4']);
    expect(seen).toEqual(['split 1', 'double 1', 'double 2']);
  });

  it('is not changed when it is continued', async () => {
    const longer = numbers.stage('shout', (name) => [name.toUpperCase()]);
    expect(numbers.stages).toHaveLength(3);
    expect(await longer.run(2, { seen: [] })).toEqual(['N4', 'N6']);
  });

  it('says which stage threw, and why, and lets no later stage run', async () => {
    const cause = new RegistryError('store_locked', 'the store is locked', { retryable: true });
    const seen: number[] = [];
    const broken = definePipeline<number, void>('broken')
      .stage('fine', (input) => [input])
      .stage('bad', (): readonly number[] => {
        throw cause;
      })
      .stage('after', (input: number) => {
        seen.push(input);
        return [input];
      });
    const error = await broken.run(1).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StageError);
    expect(error).toMatchObject({
      message: 'broken failed at bad: the store is locked',
      pipeline: 'broken',
      stage: 'bad',
      retry: 'stop',
      cause,
    });
    expect(seen).toEqual([]);
  });

  it('names a stage once, however many follow', async () => {
    const broken = definePipeline<number, void>('broken')
      .stage('bad', (): Promise<readonly number[]> => Promise.reject(new TypeError('no such thing')))
      .stage('after', (input: number) => [input]);
    await expect(broken.run(1)).rejects.toMatchObject({ stage: 'bad', retry: 'later' });
  });
});

describe('what a failure means for the work', () => {
  it.each([
    ['a fault of ours', new Error('x'), 'later'],
    ['something thrown that is no error', 'x', 'later'],
    ['a locked store', new RegistryError('store_locked', 'x', { retryable: true }), 'stop'],
    ['a corrupt store', new RegistryError('store_corrupt', 'x'), 'stop'],
    ['a missing store', new RegistryError('store_missing', 'x'), 'stop'],
    ['a newer store', new RegistryError('store_newer', 'x'), 'stop'],
    ['an index that is away', new RegistryError('index_unavailable', 'x'), 'later'],
    ['an index that was wiped', new RegistryError('index_missing', 'x'), 'later'],
    ['an interruption', new RegistryError('interrupted', 'x'), 'stop'],
    ['a lost lease', new RegistryError('lease_lost', 'x'), 'later'],
    ['something that a retry helps', new RegistryError('not_found', 'x', { retryable: true }), 'later'],
    ['something that no retry helps', new RegistryError('input_invalid', 'x'), 'never'],
  ] as const)('%s: %s', (_name, error, expected) => {
    expect(classify(error)).toBe(expected);
  });
});
