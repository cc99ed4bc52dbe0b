import { schemaFiles } from '../../src/protocol/schema-files.ts';
import { schemaPath, type TaskName } from '../../src/protocol/tasks.ts';

export type Payload = Readonly<Record<string, unknown>>;

const BUNDLE = schemaFiles('3.0.0');

/** The examples in the schema of a task. */
export function examplesOf(task: TaskName, kind: 'request' | 'response'): readonly Payload[] {
  return schemaOf(task, kind).examples;
}

/** The fields without which a request is refused. */
export function requiredOf(task: TaskName): readonly string[] {
  return schemaOf(task, 'request').required ?? [];
}

interface Schema {
  readonly examples: readonly Payload[];
  readonly required?: readonly string[];
}

function schemaOf(task: TaskName, kind: 'request' | 'response'): Schema {
  return JSON.parse(BUNDLE.get(schemaPath(task, kind))?.toString('utf8') ?? '{}') as Schema;
}

/** The first example of a task's request, with members replaced; `undefined` takes one away. */
export function requestOf(task: TaskName, change: Payload = {}): Payload {
  const entries = Object.entries({ ...examplesOf(task, 'request')[0], ...change });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
