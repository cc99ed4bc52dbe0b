import { type Task, TaskState } from '@a2a-js/sdk';
import { InMemoryTaskStore, type ServerCallContext, type TaskStore } from '@a2a-js/sdk/server';

/** Answers of one agent that can be asked for again over A2A: the latest ones within both bounds. */
const MAX_TASKS = 500;
/** In JSON, characters. All agents of the sandbox together stay below 64 MiB. */
const MAX_CHARACTERS = 2_000_000;

interface Kept {
  readonly owner: string;
  readonly task: Task;
  readonly size: number;
}

/**
 * A store of A2A tasks that forgets: an agent that runs for weeks must not keep each of its answers. It keeps what was
 * done for callers that it knows, without what they sent. Nobody can ask for a failed task or for one of an anonymous
 * caller again: the first says nothing that lasts, and the second would be for anybody to read.
 */
export function recentTasks(): TaskStore {
  const kept = new Map<string, Kept>();
  let size = 0;
  const forget = (id: string): void => {
    size -= kept.get(id)?.size ?? 0;
    kept.delete(id);
  };
  return {
    async save(task, context) {
      const owner = ownerOf(context);
      if (owner === undefined || task.status?.state !== TaskState.TASK_STATE_COMPLETED) return;
      const copy = structuredClone({ ...task, history: [] });
      const length = JSON.stringify(copy).length;
      forget(task.id);
      if (length > MAX_CHARACTERS) return;
      kept.set(task.id, { owner, task: copy, size: length });
      size += length;
      for (const id of kept.keys()) {
        if (size <= MAX_CHARACTERS && kept.size <= MAX_TASKS) break;
        forget(id);
      }
    },
    async load(id, context) {
      const found = kept.get(id);
      return found === undefined || found.owner !== ownerOf(context)
        ? undefined
        : structuredClone(found.task);
    },
    async list(params, context) {
      const owner = ownerOf(context);
      const own = [...kept.values()].filter((one) => owner !== undefined && one.owner === owner);
      const page = await pageOf(own, params, context);
      if (params.includeArtifacts !== true) return page;
      const artifactsOf = (id: string) => structuredClone(kept.get(id)?.task.artifacts ?? []);
      return { ...page, tasks: page.tasks.map((task) => ({ ...task, artifacts: artifactsOf(task.id) })) };
    },
  };
}

type ListParameters = Parameters<TaskStore['list']>;

/** The SDK's own filters and pages, over tasks without their artifacts, so that a page costs only what is on it. */
async function pageOf(own: readonly Kept[], params: ListParameters[0], context: ServerCallContext) {
  const store = new InMemoryTaskStore();
  for (const { task } of own) await store.save({ ...task, artifacts: [] }, context);
  return store.list(params, context);
}

/** Undefined for whoever did not say who they are. */
function ownerOf({ user }: ServerCallContext): string | undefined {
  return user?.isAuthenticated === true ? user.userName : undefined;
}
