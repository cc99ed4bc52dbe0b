import { elements, type JsonObject, member } from '../../base/json.ts';
import { type OpenApiPaths, schemaComponents } from '../openapi.ts';
import type { SchemaName } from '../schema-names.ts';

const COMPONENT = '#/components/schemas/';

/** The parameters of an operation as the input schema of a tool; `changes` replaces single ones, undefined leaves one out. */
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

/** The schema of an answer as the output schema of a tool, which stands by itself: what it refers to is inside. */
export function outputOf(name: SchemaName): JsonObject {
  return standalone({ type: 'object', ...(schemaComponents()[name] as JsonObject) });
}

/** A schema that refers to schemas of the OpenAPI document, with these inside. */
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
  const text = JSON.stringify({ ...schema, ...(inside.size > 0 && { $defs: Object.fromEntries(inside) }) });
  return JSON.parse(text, (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') return value.replace(COMPONENT, '#/$defs/');
    if (!Array.isArray(member(value, 'examples'))) return value;
    const { examples: _left, ...rest } = value as JsonObject; // an assistant reads answers, not examples of them
    return rest;
  }) as JsonObject;
}

/** The names of the components that a schema refers to. */
function namesIn(schema: unknown): readonly string[] {
  const refs = JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)/g);
  return [...refs].map(([, name]) => name ?? '');
}
