import { member } from '../../base/json.ts';

/** A JSON Schema 2020-12, as far as pages show it. */
export interface ShownSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: ShownSchema | boolean;
  readonly properties?: Readonly<Record<string, ShownSchema | boolean>>;
  readonly additionalProperties?: ShownSchema | boolean;
  readonly required?: readonly string[];
  readonly oneOf?: readonly ShownSchema[];
  readonly anyOf?: readonly ShownSchema[];
  readonly allOf?: readonly ShownSchema[];
  readonly examples?: readonly unknown[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: ShownSchema;
  readonly example?: unknown;
}

type Content = Readonly<Record<string, { readonly schema: ShownSchema; readonly example?: unknown }>>;

export interface DescribedAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string }>>;
  readonly content?: Content;
  readonly links?: Readonly<Record<string, { readonly operationId: string }>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
}

/** Our own OpenAPI document, as far as pages show it. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly security: NonNullable<Operation['security']>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, ShownSchema>> };
}

/** An operation with its place in the document. */
export interface DescribedOperation {
  readonly path: string;
  /** In small letters, as the document has it. */
  readonly method: string;
  readonly operation: Operation;
}

/** All operations, in the order of the document. */
export function operationsOf({ paths }: ApiDocument): readonly DescribedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

/** A request of the API, without the origin that it goes to. */
export interface ApiRequest {
  /** In capitals. */
  readonly method: string;
  /** With its query, percent-encoded. */
  readonly target: string;
  /** JSON. */
  readonly body?: unknown;
}

/**
 * The request that the examples of an operation make: every parameter with an example, and the body's. `known` has values that
 * no document can name, by parameter. Undefined where a required value is missing.
 */
export function exampleRequest(
  document: ApiDocument,
  { path, method, operation }: DescribedOperation,
  known: Readonly<Record<string, string>> = {},
): ApiRequest | undefined {
  let target = path;
  const query = new URLSearchParams();
  for (const { name, in: place, required, example } of operation.parameters ?? []) {
    const value = known[name] ?? example;
    if (value === undefined && required === true) return undefined;
    if (value === undefined || place === 'header') continue;
    if (place === 'path') target = target.replace(`{${name}}`, () => encodeURIComponent(String(value)));
    else for (const one of [value].flat()) query.append(name, String(one));
  }
  const text = query.toString();
  const body = bodyExample(document, operation);
  return {
    method: method.toUpperCase(),
    target: text === '' ? target : `${target}?${text}`,
    ...(body !== undefined && { body }),
  };
}

/** The example of the media type, or the first one of its schema; undefined for an operation without a body. */
export function bodyExample(document: ApiDocument, { requestBody }: Operation): unknown {
  const content = requestBody?.content['application/json'];
  return (
    content &&
    (content.example ??
      componentOf(document, content.schema)?.schema.examples?.[0] ??
      content.schema.examples?.[0])
  );
}

/** The component that a schema refers to, with its name; undefined for a schema that stands where it is used. */
export function componentOf(
  { components }: ApiDocument,
  { $ref }: ShownSchema,
): { readonly name: string; readonly schema: ShownSchema } | undefined {
  const name = $ref?.split('/').at(-1);
  const schema =
    name === undefined ? undefined : (member(components.schemas, name) as ShownSchema | undefined);
  return schema && name !== undefined ? { name, schema } : undefined;
}
