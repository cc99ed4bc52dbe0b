import { readdirSync, readFileSync } from 'node:fs';
import type { JsonObject } from '../base/json.ts';
import { type SchemaKind, schemaPath, type TaskName } from './tasks.ts';
import { isExactVersion } from './versions.ts';

/** A JSON Schema of an object that refers to nothing outside itself. */
export interface SelfContainedSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

const FOLDER = new URL('../../schemas/protocol/', import.meta.url);

/** The versions of the protocol whose schemas the project ships. */
export function shippedVersions(): readonly string[] {
  return readdirSync(FOLDER).filter(isExactVersion).toSorted();
}

// The shipped files never change while the program runs.
const filesRead = new Map<string, ReadonlyMap<string, Buffer>>();

/**
 * All files of one bundle by their path inside it, byte for byte; read once. `version` is one of `shippedVersions`:
 * whoever asks by another's words looks a path up here, so that no path ever leads outside the folder.
 */
export function schemaFiles(version: string): ReadonlyMap<string, Buffer> {
  const files = filesRead.get(version) ?? readFiles(new URL(`${version}/`, FOLDER));
  filesRead.set(version, files);
  return files;
}

function readFiles(folder: URL): ReadonlyMap<string, Buffer> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.json'))
    .toSorted();
  return new Map(paths.map((path) => [path, readFileSync(new URL(path, folder))]));
}

/** The shapes of the public protocol's answers by file name, `get_products.json` for example; read once. */
export function publicShapeFiles(): ReadonlyMap<string, Buffer> {
  const files = filesRead.get('adcp') ?? readFiles(new URL('adcp/', FOLDER));
  filesRead.set('adcp', files);
  return files;
}

/**
 * The schema of a task with every shape that it uses under `$defs`: for places where nobody can follow a reference,
 * such as the `inputSchema` of an MCP tool. `version` is one of the shipped versions.
 */
export function selfContainedSchema(version: string, task: TaskName, kind: SchemaKind): SelfContainedSchema {
  const files = schemaFiles(version);
  const shapes = new Map<string, JsonObject>();
  const load = (path: string): JsonObject => {
    const {
      $id: _id,
      examples: _examples,
      ...schema
    } = JSON.parse(files.get(path)?.toString('utf8') ?? '{}') as JsonObject;
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

function withLocalReferences(schema: JsonObject, from: string, nameOf: (path: string) => string): JsonObject {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === '$ref' && typeof value === 'string'
      ? `#/$defs/${nameOf(new URL(value, `file:///${from}`).pathname.slice(1))}`
      : value,
  );
  return JSON.parse(text) as JsonObject;
}
