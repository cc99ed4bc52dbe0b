import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import type { Ajv, ValidateFunction } from 'ajv';
import { createForeignAjv, type SubschemaLookup, subschemaLookup } from '../base/ajv.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { RegistryError } from '../errors.ts';
import { measure } from './bounds.ts';
import { type Issue, issuesOf, resolveForms, sizeIssue } from './issues.ts';

/** A folder of JSON Schemas that belong together, as the field publishes them for a version of its protocol. */
export interface SchemaSet {
  /** As the schemas name it in their ids, `3.0.6`; undefined when they name none. */
  readonly version: string | undefined;
  /** SHA-256 of all names and texts, `sha256:…`. */
  readonly digest: string;
  /** The number of schemas. */
  readonly size: number;
  /** The path of a schema in the set that a reference names, `media-buy/get-products-response.json`; undefined for none. */
  find(reference: string): string | undefined;
  /** The schema of a task's answers, or of its requests, wherever in the set it stands. */
  ofTask(task: string, kind?: 'request' | 'response'): string | undefined;
  /** What a payload breaks of the schema at a path that `find` or `ofTask` gave; undefined for one that is no schema. */
  check(path: string, payload: unknown): readonly Issue[] | undefined;
}

/** How large or long something may be, or which form a text has: the shape of an answer holds without. */
const BOUND_KEYWORDS: ReadonlySet<string> = new Set(
  'format pattern minItems maxItems uniqueItems minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minProperties maxProperties'.split(
    ' ',
  ),
);

/** True for what keeps no client from reading an answer: the field's own runner takes it as a hint. */
export function isBound({ keyword }: Issue): boolean {
  return BOUND_KEYWORDS.has(keyword);
}

const MAX_FILES = 5_000;
const MAX_SET_BYTES = 64 * 1024 * 1024;
/** Up to how many values a payload is searched for every error. */
const SEARCHED_VALUES = 2_000;

/** Reads the schemas below a folder; each is compiled once. Rejects with `usage` for one that cannot be read or holds none. */
export async function readSchemaSet(folder: string): Promise<SchemaSet> {
  const texts = new Map<string, string>();
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    const names = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll('\\', '/'));
    for (const name of names.filter((one) => one.endsWith('.json')).toSorted()) {
      const file = `${folder}/${name}`;
      bytes += (await stat(file)).size;
      if (texts.size >= MAX_FILES || bytes > MAX_SET_BYTES) throw new Error('it is too large');
      const text = await readFile(file, 'utf8');
      hash.update(`${name}\0${text}\0`);
      texts.set(name, text);
    }
  } catch (cause) {
    throw unreadable(folder, cause);
  }
  if (texts.size === 0) throw unreadable(folder);
  return setOf(texts, `sha256:${hash.digest('hex')}`);
}

function unreadable(folder: string, cause?: unknown): RegistryError {
  return new RegistryError('usage', `--schemas: ${folder} is not a readable folder of JSON Schemas`, {
    cause,
    hint: `use a folder of .json files, at most ${MAX_FILES} files and ${MAX_SET_BYTES / 1024 ** 2} MiB`,
  });
}

/** A validator of the set, which finds parts of its schemas too. */
interface Engine {
  readonly ajv: Ajv;
  readonly lookup: SubschemaLookup;
  /** By path. */
  readonly compiled: Map<string, ValidateFunction>;
}

function engineOf(ajv: Ajv): Engine {
  return { ajv, lookup: subschemaLookup(ajv), compiled: new Map() };
}

function setOf(texts: ReadonlyMap<string, string>, digest: string): SchemaSet {
  // a version stands between `schemas/` and the path, where the ids have one
  const prefix = /"\$id":\s*"((?:https?:\/\/[^"/]+)?\/schemas\/([^"/]+)\/)/.exec(
    [...texts.values()].find((text) => text.includes('"$id"')) ?? '',
  );
  const engines = { first: engineOf(createForeignAjv(false)), all: engineOf(createForeignAjv(true)) };
  const find = (reference: string) => {
    const path = reference.replace(/^(?:https?:\/\/[^/]+)?\/?(?:schemas\/[^/]+\/)?/, '').replace(/#.*$/s, '');
    return texts.has(path) ? path : undefined;
  };
  const paths = [...texts.keys()].toSorted(
    (a, b) => Number(isBundled(b)) - Number(isBundled(a)) || (a < b ? 1 : -1),
  );
  const names = new Map(paths.map((path) => [path.split('/').at(-1), path]));
  const errorsOf = ({ ajv, lookup, compiled }: Engine, path: string, payload: unknown) => {
    const validate = compiled.get(path) ?? ajv.getSchema(load(ajv, path, find, texts));
    if (validate === undefined) return [];
    compiled.set(path, validate);
    if (validate(payload)) return [];
    const errors = validate.errors ?? [];
    validate.errors = null; // they hold on to the payload
    return resolveForms(errors, lookup);
  };
  return {
    version: prefix?.[2],
    digest,
    size: texts.size,
    find,
    ofTask: (task, kind = 'response') => names.get(`${task.replaceAll('_', '-')}-${kind}.json`),
    check(path, payload) {
      const { problem, values } = measure(payload);
      if (problem !== undefined) return [sizeIssue(problem)];
      try {
        const first = errorsOf(engines.first, path, payload);
        const found =
          first.length === 0 || values > SEARCHED_VALUES ? first : errorsOf(engines.all, path, payload);
        return issuesOf(found);
      } catch {
        return undefined;
      }
    },
  };
}

/** The field has some schemas twice, the second time with everything that they refer to inside. */
function isBundled(path: string): boolean {
  return path.startsWith('bundled/');
}

/** Gives the engine a schema and all that it refers to; its id. */
function load(
  ajv: Ajv,
  path: string,
  find: (reference: string) => string | undefined,
  texts: ReadonlyMap<string, string>,
): string {
  const schema = JSON.parse(texts.get(path) ?? '{}') as JsonObject;
  const id = typeof schema.$id === 'string' ? schema.$id : `/${path}`;
  if (ajv.schemas[id] !== undefined) return id;
  const open = [{ id, schema }];
  const known = new Set([id]);
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (ajv.schemas[one.id] === undefined) ajv.addSchema({ ...one.schema, $id: one.id }, one.id);
    for (const reference of referencesIn(one.schema)) {
      const target = new URL(
        reference,
        `http://schemas.invalid${one.id.startsWith('/') ? '' : '/'}${one.id}`,
      );
      const other = find(target.pathname);
      if (other === undefined) continue;
      const text = JSON.parse(texts.get(other) ?? '{}') as JsonObject;
      const otherId = typeof text.$id === 'string' ? text.$id : `/${other}`;
      if (known.has(otherId)) continue;
      known.add(otherId);
      open.push({ id: otherId, schema: text });
    }
  }
  return id;
}

function* referencesIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* referencesIn(item);
  if (!isObject(value)) return;
  for (const [key, item] of Object.entries(value)) {
    if (key === '$ref' && typeof item === 'string' && !item.startsWith('#')) yield item;
    else yield* referencesIn(item);
  }
}
