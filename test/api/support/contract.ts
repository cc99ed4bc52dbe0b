import { hash } from 'node:crypto';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface Described {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

type OtherMethod = 'patch' | 'post' | 'put' | 'delete';

export interface OpenApi {
  readonly paths: Readonly<
    Record<string, { readonly get: Described } & { readonly [method in OtherMethod]?: Described }>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** What an answer breaks of the document: its status, its media type or its schema; empty when nothing. */
export function breaches(
  document: OpenApi,
  path: string,
  answer: Answer,
  method: 'get' | OtherMethod = 'get',
): readonly unknown[] {
  const described = document.paths[path]?.[method]?.responses[answer.statusCode];
  if (described === undefined) return [`status ${answer.statusCode} is not described for ${path}`];
  if (described.content === undefined) return answer.body === '' ? [] : ['a body that is not described'];
  const mediaType = String(answer.headers['content-type']).split(';')[0] ?? '';
  const schema = described.content[mediaType]?.schema;
  if (schema === undefined) return [`media type ${mediaType} is not described`];
  if (!mediaType.endsWith('json')) return [];
  const validate = validator(document, schema);
  return validate(JSON.parse(answer.body)) ? [] : (validate.errors ?? []);
}

// The document's other members are no JSON Schema keywords. One for all: to read the meta-schemas costs more than most schemas do.
const ajv = new Ajv2020({ strictSchema: false, allErrors: true });
addFormats.default(ajv);

/** By what they were made of: each server has a document of its own, and most are the same. */
const validators = new Map<string, ValidateFunction>();
const texts = new WeakMap<object, string>();

function validator({ components }: OpenApi, schema: object): ValidateFunction {
  const text = texts.get(components) ?? hash('sha256', JSON.stringify(components));
  texts.set(components, text);
  const key = `${text} ${JSON.stringify(schema)}`;
  const made = validators.get(key) ?? ajv.compile({ ...schema, components });
  validators.set(key, made);
  return made;
}
