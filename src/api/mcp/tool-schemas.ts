import { elements, isObject, type JsonObject, member } from '../../base/json.ts';
import { type OpenApiPaths, schemaComponents } from '../openapi.ts';
import type { SchemaName } from '../schema-names.ts';

const COMPONENT = '#/components/schemas/';

/** The parameters of an operation as the input schema of a tool. `changes` replaces single parameters; undefined removes one. */
export function inputOf(
  paths: OpenApiPaths,
  operationId: string,
  changes: Readonly<Record<string, JsonObject | undefined>> = {},
): JsonObject {
  const operation = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .find((one) => one.operationId === operationId);
  const parameters = elements(operation?.parameters).filter((one) => member(one, 'in') !== 'header');
  const described = parameters.map((one) => {
    const { name, schema, description } = one as { name: string; schema: JsonObject; description: string };
    return [name, { ...schema, description }] as const;
  });
  const properties = Object.entries({ ...Object.fromEntries(described), ...changes });
  return {
    type: 'object',
    properties: Object.fromEntries(properties.filter(([, schema]) => schema !== undefined)),
    required: parameters.filter((one) => member(one, 'required')).map((one) => member(one, 'name')),
    additionalProperties: false,
  };
}

/** The schema of an answer as the output schema of a tool, with every schema that it refers to. */
export function outputOf(name: SchemaName): JsonObject {
  return standalone({ type: 'object', ...(schemaComponents()[name] as JsonObject) });
}

/** A schema that refers to schemas of the OpenAPI document, with these schemas included. */
export function standalone(schema: JsonObject): JsonObject {
  const inside = new Map<string, unknown>();
  const open: unknown[] = [schema];
  while (open.length > 0) {
    for (const name of namesIn(open.pop())) {
      if (inside.has(name)) continue;
      inside.set(name, schemaComponents()[name]);
      open.push(inside.get(name));
    }
  }
  const whole = { ...schema, ...(inside.size > 0 && { $defs: Object.fromEntries(inside) }) };
  return asRead(whole) as JsonObject;
}

/** Keywords that only validate: they tell an assistant nothing beyond names, types and descriptions. */
const FOR_CHECKS = new Set(['examples', 'format', 'title', 'required', '$id', '$schema']);

/**
 * A shorter schema for assistants, to save context. It accepts every answer that the whole schema accepts: `oneOf` becomes
 * `anyOf`, because the required fields that distinguish the alternatives are removed.
 */
function asRead(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asRead);
  if (!isObject(schema)) return schema;
  const read = Object.entries(schema).flatMap(([key, value]): readonly (readonly [string, unknown])[] => {
    if (FOR_CHECKS.has(key) || (key === 'additionalProperties' && value === false)) return [];
    if (key === '$ref') return [[key, String(value).replace(COMPONENT, '#/$defs/')]];
    if (key === 'properties' || key === '$defs') return [[key, membersAsRead(value as JsonObject)]];
    if (VALUES.has(key)) return [[key, value]];
    return [[key === 'oneOf' ? 'anyOf' : key, asRead(value)]];
  });
  return Object.fromEntries(read);
}

/** Keywords whose value is not a schema. */
const VALUES = new Set(['enum', 'const', 'default']);

/** Field names may be equal to keywords. */
function membersAsRead(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, asRead(schema)]));
}

/** The components that a schema refers to. */
function namesIn(schema: unknown): readonly string[] {
  const refs = JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)/g);
  return [...refs].map(([, name]) => name ?? '');
}
