import { expect, it } from 'vitest';
import { commandReference } from '../../src/cli/reference.ts';

it('lists each command with what its help shows', async () => {
  const entries = await commandReference();
  expect(entries.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['crawl', 'agents', 'agents register']),
  );
  const list = entries.find(({ name }) => name === 'runs list');
  expect(list).toMatchObject({
    usage: 'registry runs list [options] <url>',
    arguments: [{ name: 'url', description: 'the agent' }],
  });
  expect(list?.options).toContainEqual({
    flags: '--limit <n>',
    description: 'at most so many',
    required: false,
    default: '20',
  });
});

it('has an example for every command, or for the one that it belongs to', async () => {
  const entries = await commandReference();
  const withExamples = new Set(entries.filter(({ examples }) => examples.length > 0).map(({ name }) => name));
  const without = entries.filter(
    ({ name }) => !withExamples.has(name) && !withExamples.has(name.split(' ')[0] ?? ''),
  );
  expect(without).toEqual([]);
});
