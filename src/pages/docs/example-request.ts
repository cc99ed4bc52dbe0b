import { elements, member } from '../../base/json.ts';

/** A request of the API, without the origin that it goes to. */
export interface ApiRequest {
  /** In capitals. */
  readonly method: string;
  /** With its query, percent-encoded. */
  readonly target: string;
  /** JSON. */
  readonly body?: unknown;
}

/** An operation with its place in the document. */
export interface DescribedOperation {
  readonly path: string;
  /** In small letters, as the document has it. */
  readonly method: string;
  readonly operation: unknown;
}

/**
 * The request that the examples of an operation make: every parameter with an example, and the body's. `known` has values that no
 * document can name, by parameter. Undefined where a required value is missing.
 */
export function exampleRequest(
  document: unknown,
  { path, method, operation }: DescribedOperation,
  known: Readonly<Record<string, string>> = {},
): ApiRequest | undefined {
  let target = path;
  const query = new URLSearchParams();
  for (const parameter of elements(member(operation, 'parameters'))) {
    const name = String(member(parameter, 'name'));
    const value = known[name] ?? member(parameter, 'example');
    if (value === undefined && member(parameter, 'required') === true) return undefined;
    const place = member(parameter, 'in');
    if (value === undefined || place === 'header') continue;
    if (place === 'path') target = target.replace(`{${name}}`, () => encodeURIComponent(String(value)));
    else for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  const text = query.toString();
  const body = bodyExample(document, operation);
  return {
    method: method.toUpperCase(),
    target: text === '' ? target : `${target}?${text}`,
    ...(body !== undefined && { body }),
  };
}

/** The example of the media type, or the first one of its schema. */
function bodyExample(document: unknown, operation: unknown): unknown {
  const content = member(member(member(operation, 'requestBody'), 'content'), 'application/json');
  const schema = resolved(document, member(content, 'schema'));
  return member(content, 'example') ?? elements(member(schema, 'examples'))[0];
}

/** A schema, with a reference to a component followed. */
function resolved(document: unknown, schema: unknown): unknown {
  const ref = member(schema, '$ref');
  if (typeof ref !== 'string') return schema;
  return ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((at, step) => member(at, step), document);
}
