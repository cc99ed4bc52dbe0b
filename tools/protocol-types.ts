import { readdirSync, readFileSync } from 'node:fs';
import { isObject, type JsonObject } from '../src/base/json.ts';
import { schemaTypes } from './schema-types.ts';

const SCHEMAS = new URL('../schemas/protocol/', import.meta.url);
const BANNER = '// Made from schemas/protocol by tools/generate-protocol-types.ts; a change here is lost.\n';

interface SchemaFile {
  /** Its title without spaces, which is the name of its type. */
  readonly name: string;
  /** `media-buy/get_products-request.json` */
  readonly path: string;
  readonly schema: JsonObject;
}

/** The TypeScript types of a bundle's schemas, as the text of a module; the same for the same schemas. */
export async function protocolTypes(version: string): Promise<string> {
  const files = schemaFiles(version);
  const definitions = Object.fromEntries(files.map((file) => [file.name, asDefinition(file, files)]));
  const types = await schemaTypes(definitions);
  return `${BANNER}${types}${taskTypes(files, 'request')}${taskTypes(files, 'response')}`;
}

function schemaFiles(version: string): readonly SchemaFile[] {
  const folder = new URL(`${version}/`, SCHEMAS);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.json'))
    .toSorted()
    .map((path) => {
      const schema = JSON.parse(readFileSync(new URL(path, folder), 'utf8')) as JsonObject;
      return { name: String(schema.title).replaceAll(' ', ''), path, schema };
    });
}

/**
 * One schema as a definition: references become local, what is said beside one is left to the reader of the schema,
 * and so are conditions, for which TypeScript has no words.
 */
function asDefinition({ name, path, schema }: SchemaFile, files: readonly SchemaFile[]): JsonObject {
  const { $schema: _dialect, $id: _id, examples: _examples, ...rest } = schema;
  const local = JSON.stringify({ ...rest, title: name }, (key, value: unknown) => {
    if (isReference(value)) return { $ref: `#/$defs/${nameOf(value.$ref, path, files)}` };
    return isObject(value) ? asType(value, `${name}${pascal(key)}`) : value;
  });
  return JSON.parse(local) as JsonObject;
}

/** `name` is for the items of a list, which get a type of their own. */
function asType(schema: JsonObject, name: string): JsonObject {
  const { if: _if, then: _then, else: _else, allOf, items, ...rest } = schema;
  const parts = Array.isArray(allOf) ? allOf.filter((part: JsonObject) => part.if === undefined) : [];
  const open =
    rest.type === 'object' && Object.keys(rest.properties ?? rest.additionalProperties ?? {}).length === 0;
  return {
    ...rest,
    ...(parts.length > 0 && { allOf: parts }),
    ...(open && { additionalProperties: true }),
    ...(isObject(items) && { items: items.type === 'object' ? { title: `${name}Item`, ...items } : items }),
  };
}

function pascal(text: string): string {
  return text.replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

function isReference(value: unknown): value is { readonly $ref: string } {
  return isObject(value) && typeof value.$ref === 'string';
}

function nameOf(reference: string, from: string, files: readonly SchemaFile[]): string {
  const path = new URL(reference, `file:///${from}`).pathname.slice(1);
  const file = files.find((one) => one.path === path);
  if (file === undefined) throw new Error(`${from} refers to ${reference}, which is not there`);
  return file.name;
}

/** Which type belongs to which task. */
function taskTypes(files: readonly SchemaFile[], kind: 'request' | 'response'): string {
  const suffix = `-${kind}.json`;
  const lines = files
    .filter(({ path }) => path.endsWith(suffix))
    .map(({ path, name }) => `  readonly ${path.slice(path.indexOf('/') + 1, -suffix.length)}: ${name};\n`);
  const title = kind === 'request' ? 'TaskRequests' : 'TaskResponses';
  return `\n/** The type of each task’s ${kind}. */\nexport interface ${title} {\n${lines.join('')}}\n`;
}
