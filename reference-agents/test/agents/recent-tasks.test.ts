import { Task } from '@a2a-js/sdk';
import { defaultServerCallContextBuilder } from '@a2a-js/sdk/server';
import { expect, test } from 'vitest';
import { recentTasks } from '../../src/agents/a2a-executor.ts';
import { CallingUser } from '../../src/agents/admission.ts';

const contextOf = (id: string) =>
  defaultServerCallContextBuilder({
    extensions: undefined,
    user: new CallingUser({ caller: { id, operator: 'desk.example', signed: false } }),
    headers: {},
  });
const DESK = contextOf('https://desk.example/agent');
const MAGPIE = contextOf('https://magpie.example/a2a');

const task = (id: string, text = 'an answer') =>
  Task.fromJSON({
    id,
    contextId: 'c',
    status: { state: 'TASK_STATE_COMPLETED' },
    artifacts: [{ artifactId: 'result', parts: [{ text }] }],
    history: [{ messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'what was sent' }] }],
  });

const LIST = {
  tenant: '',
  contextId: '',
  status: 0,
  pageToken: '',
  pageSize: 100,
  statusTimestampAfter: undefined,
};

test('the latest 500 are kept, and the list has all of them', async () => {
  const store = recentTasks();
  for (let number = 0; number < 750; number += 1) await store.save(task(`t${number}`), DESK);
  const { totalSize, tasks } = await store.list({ ...LIST, includeArtifacts: true } as never, DESK);
  expect([totalSize, tasks.length]).toEqual([500, 100]);
  expect(tasks[0]).toMatchObject({ history: [], artifacts: [{ artifactId: 'result' }] });
  expect(await store.load('t249', DESK)).toBeUndefined();
  expect(await store.load('t250', DESK)).toMatchObject({ id: 't250' });
});

test('large answers push out the oldest, and one that is larger than all room is not kept', async () => {
  const store = recentTasks();
  for (const id of ['a', 'b', 'c']) await store.save(task(id, 'x'.repeat(800_000)), DESK);
  expect(await store.load('a', DESK)).toBeUndefined();
  expect(await store.load('b', DESK)).toMatchObject({ id: 'b' });
  await store.save(task('huge', 'x'.repeat(3_000_000)), MAGPIE);
  expect(await store.load('huge', MAGPIE)).toBeUndefined();
  expect(await store.load('c', DESK)).toMatchObject({ id: 'c' });
});
