import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { RECOVERY } from '../../src/protocol/problem.ts';
import { schemaFiles, shippedVersions } from '../../src/protocol/schema-files.ts';
import { AREAS, PROTOCOL_TASKS, schemaPath, TASK_NAMES } from '../../src/protocol/tasks.ts';
import { SPECIFIED } from './specification-fields.ts';
import { EXTENSIONS, MUTATING } from './task-lists.ts';

type Json = Readonly<Record<string, unknown>>;

const VERSION = '3.0.0';
const FILES = new Map(
  [...schemaFiles(VERSION)].map(([path, bytes]) => [path, JSON.parse(bytes.toString('utf8')) as Json]),
);
const PATHS = [...FILES.keys()];
const SPECIFIED_TASKS = Object.entries(SPECIFIED) as [
  keyof typeof SPECIFIED,
  { request: string[]; response: string[] },
][];

const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
addFormats.default(ajv);
ajv.addVocabulary(['x-extension', 'x-error-code', 'x-meanings']);
for (const schema of FILES.values()) ajv.addSchema(schema);

describe('the schemas of the protocol', () => {
  it('are of the one version that is shipped', () => {
    expect(shippedVersions()).toEqual([VERSION]);
  });

  it('are two for each task, in the folder of its area, and shared shapes', () => {
    const ofTasks = TASK_NAMES.flatMap((task) => [schemaPath(task, 'request'), schemaPath(task, 'response')]);
    expect(PATHS.filter((path) => !path.startsWith('core/')).toSorted()).toEqual(ofTasks.toSorted());
    expect(new Set(TASK_NAMES.map((task) => PROTOCOL_TASKS[task].area))).toEqual(new Set(AREAS));
  });

  it('cover the specification’s tasks and the extensions, and no others', () => {
    expect(TASK_NAMES.toSorted()).toEqual([...Object.keys(SPECIFIED), ...EXTENSIONS].toSorted());
    expect(TASK_NAMES.filter((task) => PROTOCOL_TASKS[task].mutating).toSorted()).toEqual(
      MUTATING.toSorted(),
    );
  });

  it.each(PATHS)('%s compiles strictly, and its examples are valid', (path) => {
    const validate = ajv.getSchema(`/schemas/${VERSION}/${path}`);
    const examples = FILES.get(path)?.examples as readonly unknown[];
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect([validate?.(example), validate?.errors]).toEqual([true, null]);
  });

  it.each(PATHS)('%s says what it and each of its members is', (path) => {
    const schema = FILES.get(path) ?? {};
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `/schemas/${VERSION}/${path}`,
      title: expect.stringMatching(/./),
      description: expect.stringMatching(/./),
    });
    expect(mute(schema, '')).toEqual([]);
  });

  it.each(PATHS)('%s leaves room for unknown members', (path) => {
    expect(JSON.stringify(FILES.get(path))).not.toMatch(/"(?:additional|unevaluated)Properties":false/);
  });

  it.each(TASK_NAMES)(
    '%s is marked when it is an extension, and asks for a key when it changes something',
    (task) => {
      const request = FILES.get(schemaPath(task, 'request')) ?? {};
      const response = FILES.get(schemaPath(task, 'response')) ?? {};
      const marked = EXTENSIONS.includes(task) ? true : undefined;
      expect([request['x-extension'], response['x-extension']]).toEqual([marked, marked]);
      const required = (request.required ?? []) as readonly string[];
      expect(required.includes('idempotency_key')).toBe(MUTATING.includes(task));
      expect(leadsTo(request, '$schema', schemaPath(task, 'request'))).toBe(true);
      expect(leadsTo(response, 'replayed', schemaPath(task, 'response'))).toBe(MUTATING.includes(task));
    },
  );

  it('have titles of their own, which name the types', () => {
    const titles = [...FILES.values()].map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('explain every error code, and the program knows whether a retry helps', () => {
    const codes = FILES.get('core/known_error_code.json');
    expect(Object.keys(codes?.['x-meanings'] as Json)).toEqual(codes?.enum);
    expect(Object.keys(RECOVERY)).toEqual(codes?.enum);
  });
});

describe('the fields of the specification’s 4.3', () => {
  it.each(SPECIFIED_TASKS)('are all in %s', (task, { request, response }) => {
    for (const [kind, fields] of [
      ['request', request],
      ['response', response],
    ] as const) {
      const path = schemaPath(task, kind);
      const missing = fields.filter((field) => !leadsTo(FILES.get(path) ?? {}, field, path));
      expect(missing, path).toEqual([]);
    }
  });
});

/** Whether a schema describes the field at a path such as `packages[].budget`; `*` is any member of a map. */
function leadsTo(schema: Json, field: string, file: string): boolean {
  const steps = field.replaceAll('[]', '.[]').split('.');
  let places: readonly (readonly [Json, string])[] = [[schema, file]];
  for (const step of steps) places = places.flatMap(([at, from]) => next(at, step, from));
  return places.length > 0;
}

function next(schema: Json, step: string, file: string): readonly (readonly [Json, string])[] {
  return forms(schema, file).flatMap(([form, from]) => {
    const properties = (form.properties ?? {}) as Readonly<Record<string, Json>>;
    const child = step === '[]' ? form.items : step === '*' ? form.additionalProperties : properties[step];
    return typeof child === 'object' && child !== null ? [[child as Json, from] as const] : [];
  });
}

/** A schema, what it refers to, and its alternatives. */
function forms(schema: Json, file: string): readonly (readonly [Json, string])[] {
  const inner = ['allOf', 'anyOf'].flatMap((keyword) => (schema[keyword] ?? []) as readonly Json[]);
  const below = inner.flatMap((one) => forms(one, file));
  if (typeof schema.$ref !== 'string') return [[schema, file], ...below];
  const target = new URL(schema.$ref, `file:///${file}`).pathname.slice(1);
  return [[schema, file], ...forms(FILES.get(target) ?? {}, target), ...below];
}

/** The places of members that have neither a description nor a reference to something that has one. */
function mute(schema: unknown, place: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === 'examples' || key === 'if' || key === 'then' || key === 'else') return [];
    const own =
      key === 'properties'
        ? Object.entries(value as Json)
            .filter(([, one]) => !('description' in (one as Json) || '$ref' in (one as Json)))
            .map(([name]) => `${place}/${name}`)
        : [];
    return [...own, ...mute(value, `${place}/${key}`)];
  });
}
