import { readBundle } from './bundles.ts';
import { type SchemaKind, schemaPath, type TaskName } from './tasks.ts';

/** A JSON Schema of an object that refers to nothing outside itself. */
export interface SelfContainedSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * The schema of a task with every shape that it uses under `$defs`: for places where nobody can follow a reference,
 * such as the `inputSchema` of an MCP tool. `version` is one of the shipped versions.
 */
export function selfContainedSchema(version: string, task: TaskName, kind: SchemaKind): SelfContainedSchema {
  const files = readBundle(version);
  const shapes = new Map<string, Json>();
  const load = (path: string): Json => {
    const {
      $id: _id,
      examples: _examples,
      ...schema
    } = JSON.parse(files.get(path)?.toString('utf8') ?? '{}') as Json;
    return withLocalReferences(schema, path, (target) => {
      const name = target.replace(/^core\/|\.json$/g, '');
      if (shapes.has(name)) return name;
      // Taken before it is read, so that shapes may refer to each other in a circle.
      shapes.set(name, {});
      const { $schema: _dialect, ...shape } = load(target);
      shapes.set(name, shape);
      return name;
    });
  };
  const schema = load(schemaPath(task, kind));
  return { ...schema, type: 'object', $defs: Object.fromEntries(shapes) };
}

function withLocalReferences(schema: Json, from: string, nameOf: (path: string) => string): Json {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === '$ref' && typeof value === 'string'
      ? `#/$defs/${nameOf(new URL(value, `file:///${from}`).pathname.slice(1))}`
      : value,
  );
  return JSON.parse(text) as Json;
}
