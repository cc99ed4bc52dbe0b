import { InMemoryTaskStore, type TaskStore } from '@a2a-js/sdk/server';

/** So many answers can be asked for again over A2A, and up to twice as many. */
const KEPT = 500;

/** The SDK's store of A2A tasks, which forgets: an agent that runs for weeks must not keep each of its answers. */
export function recentTasks(): TaskStore {
  let [current, previous] = [new InMemoryTaskStore(), new InMemoryTaskStore()];
  let saved = 0;
  return {
    async save(task, context) {
      saved += 1;
      if (saved % KEPT === 0) [current, previous] = [new InMemoryTaskStore(), current];
      await current.save(task, context);
    },
    async load(id, context) {
      return (await current.load(id, context)) ?? previous.load(id, context);
    },
    list: (params, context) => current.list(params, context),
  };
}
