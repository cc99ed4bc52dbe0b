import { isObject, type JsonObject } from '../src/base/json.ts';
import { schemaTypes } from './schema-types.ts';

const BANNER =
  '// Made from the OpenAPI document by tools/generate-client-types.ts; a change here is lost.\n';
/** What an operation is called with besides its parameters; no parameter has this name. */
const BODY = 'body';

export interface ClientTypes {
  readonly types: string;
  readonly operations: string;
}

type Schemas = Readonly<Record<string, JsonObject>>;

/** An OpenAPI document, as far as types are made of it. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  readonly components: { readonly schemas: Schemas };
}

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly operation: JsonObject;
}

/**
 * The types of every operation of the API, and the table that the client sends them by, as the texts of two modules; the
 * same for the same document. Who runs the client loads the table alone.
 */
export async function clientTypes({ paths, components: { schemas } }: Document): Promise<ClientTypes> {
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )
    .filter(({ operation }) => !isStream(operation))
    .toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  const members = Object.fromEntries(operations.map((one) => [idOf(one), typesOf(one)]));
  const definitions = {
    ...Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, asDefinition(schema, name)]),
    ),
    Operations: asDefinition(
      { ...closed(members), description: 'What each operation is called with, and what it answers.' },
      'Operations',
    ),
  };
  const types = await schemaTypes(definitions);
  const rows = operations.map((one) => `  ${idOf(one)}: ${row(one, schemas)},\n`);
  const table = `/** How each operation is sent; \`has\` is a member that its JSON always has, \`items\` the list that its pages carry. */\nexport const OPERATIONS = {\n${rows.join('')}} as const;\n`;
  return { types: `${BANNER}${types}`, operations: `${BANNER}${table}` };
}

/** An answer that never ends is nothing to wait for. */
function isStream({ responses }: JsonObject): boolean {
  return isObject(responses) && JSON.stringify(responses[200] ?? {}).includes('text/event-stream');
}

function idOf({ operation }: Operation): string {
  return String(operation.operationId);
}

/** Parameters of the path and the query, the body, and the answer. */
function typesOf({ operation }: Operation): JsonObject {
  const { parameters = [], requestBody } = operation;
  const sent = (parameters as readonly JsonObject[]).filter((one) => one.in !== 'header');
  const body = contentOf(requestBody);
  const input = closed(
    Object.fromEntries([
      ...sent.map(({ name, schema, description }) => [name, { ...(schema as JsonObject), description }]),
      ...(body === undefined ? [] : [[BODY, body]]),
    ]),
    [
      ...sent.filter((one) => one.in === 'path' || one.required === true).map(({ name }) => String(name)),
      ...(isObject(requestBody) && requestBody.required === true ? [BODY] : []),
    ],
  );
  return closed({ input, answer: answerOf(operation) ?? { type: 'null' } });
}

function answerOf({ responses }: JsonObject): JsonObject | undefined {
  const good = Object.entries(responses as JsonObject).find(([status]) => status.startsWith('2'));
  return contentOf(good?.[1]);
}

/** JSON where there is a choice; what is not JSON comes as text. */
function contentOf(described: unknown): JsonObject | undefined {
  if (!isObject(described) || !isObject(described.content)) return undefined;
  const { content } = described;
  const media = content['application/json'] ?? Object.values(content)[0];
  return isObject(media) && isObject(media.schema) ? media.schema : undefined;
}

function closed(properties: JsonObject, required = Object.keys(properties)): JsonObject {
  return { type: 'object', additionalProperties: false, properties, required };
}

/** References become local; examples say nothing about types, and a title would make a second name for a type. */
function asDefinition(schema: JsonObject, title: string): JsonObject {
  const local = JSON.stringify(schema, (key, value: unknown) => {
    if (key === 'examples' || key === 'example') return undefined;
    if (!isObject(value)) return value;
    if (typeof value.$ref === 'string')
      return { $ref: value.$ref.replace('#/components/schemas/', '#/$defs/') };
    const { title: name, ...rest } = value;
    const isOpen = value.type === 'object' && value.properties === undefined;
    return {
      ...(isOpen && { additionalProperties: true }),
      ...rest,
      // a member may have this name, too
      ...(typeof name !== 'string' && name !== undefined && { title: name }),
    };
  });
  return { ...(JSON.parse(local) as JsonObject), title };
}

function row({ method, path, operation }: Operation, schemas: Schemas): string {
  const items = itemsOf(operation, schemas);
  const asked = `method: '${method.toUpperCase()}', path: '${path}'`;
  const has = knownBy(operation, schemas, items);
  const known = has === undefined ? '' : `, has: '${has}'`;
  return `{ ${asked}${known}${items === undefined ? '' : `, items: '${items}'`} }`;
}

/** A member that every good answer in JSON has, its list where it can be; empty: there is none. Undefined: it is no JSON. */
function knownBy({ responses }: JsonObject, schemas: Schemas, items: string | undefined): string | undefined {
  const good = Object.entries(responses as JsonObject).filter(([status]) => status.startsWith('2'));
  const schema = good.map(([, one]) => jsonOf(one)).find((one) => one !== undefined);
  if (schema === undefined) return undefined;
  const [first, ...others] = formsOf(schema, schemas).map(({ required = [] }) => required as string[]);
  const always = (first ?? []).filter((name) => others.every((one) => one.includes(name)));
  return always.find((name) => name === items) ?? always[0] ?? '';
}

function jsonOf(described: unknown): JsonObject | undefined {
  const content = isObject(described) && isObject(described.content) ? described.content : {};
  const type = Object.keys(content).find((one) => /^application\/([\w-]+\+)?json$/.test(one));
  const media = content[type ?? ''];
  return isObject(media) && isObject(media.schema) ? media.schema : undefined;
}

/** What a schema allows, without references; it may allow several. */
function formsOf(schema: unknown, schemas: Schemas): readonly JsonObject[] {
  const answer = resolved(schema, schemas);
  return Array.isArray(answer.oneOf) ? answer.oneOf.map((one) => resolved(one, schemas)) : [answer];
}

function resolved(schema: unknown, schemas: Schemas): JsonObject {
  if (!isObject(schema)) return {};
  const [, name] = /([^/]+)$/.exec(String(schema.$ref ?? '')) ?? [];
  return name === undefined ? schema : (schemas[name] ?? {});
}

/** Of an operation that takes a cursor: the last list of objects that each answer has. */
function itemsOf(operation: JsonObject, schemas: Schemas): string | undefined {
  const { parameters = [] } = operation;
  if (!(parameters as readonly JsonObject[]).some(({ name }) => name === 'cursor')) return undefined;
  const lists = formsOf(answerOf(operation), schemas).flatMap((form) =>
    Object.entries((form.properties ?? {}) as JsonObject)
      .filter(([, list]) => isObject(list) && list.type === 'array')
      .filter(([, list]) => resolved((list as JsonObject).items, schemas).type !== 'string')
      .map(([name]) => name)
      .filter((name) => (form.required as readonly string[]).includes(name)),
  );
  return lists.at(-1);
}
