import type { ErrorObject } from 'ajv/dist/2020.js';
import type { SubschemaLookup } from '../base/ajv.ts';
import { elements, isObject, type JsonObject, member, pointerOf, stepsOf } from '../base/json.ts';
import { placeName } from './bounds.ts';
import type { KnownErrorCode } from './generated/types.ts';
import { type Problem, problem } from './problem.ts';

/** One place where a payload does not follow its schema. */
export interface Issue {
  /** JSON Pointer, to the missing field where one is missing. */
  readonly pointer: string;
  readonly message: string;
  /** The keyword of JSON Schema that is broken. */
  readonly keyword: string;
}

/** The most places that are reported at once. */
const MAX_ISSUES = 20;

/** What is wrong with the shape of a request and not with a value. */
const SHAPE: ReadonlySet<string> = new Set(['required', 'type']);

/** The places that a validator found, at most twenty. `errors` went through `resolveForms`. */
export function issuesOf(errors: readonly ErrorObject[]): readonly Issue[] {
  const issues = relevantErrors(errors).map(issueOf);
  const places = new Map(issues.map((issue) => [`${issue.pointer} ${issue.message}`, issue]));
  return [...places.values()].slice(0, MAX_ISSUES);
}

/** The errors of a request as the problem that goes over the wire: the first place, and the others with it. */
export function problemOf(errors: readonly ErrorObject[]): Problem {
  const issues = issuesOf(errors);
  const [first] = issues;
  const [error] = relevantErrors(errors);
  if (first === undefined || error === undefined)
    return problem('INVALID_REQUEST', 'the request is not valid');
  return problem(codeOf(error), `${placeName(first.pointer)} ${first.message}`, {
    pointer: first.pointer,
    suggestion: suggestionOf(error),
    issues: [...issues],
  });
}

/** A payload that is beyond the bounds of bounds.ts. */
export function sizeIssue({ pointer = '', message }: Problem): Issue {
  const reason = message.slice(placeName(pointer).length + 2);
  return { pointer, message: `cannot be read: ${reason}`, keyword: 'bounds' };
}

/**
 * Replaces each failed `anyOf` and `oneOf` by the errors of the form that the value is meant to have: the one that its
 * discriminator names, else the one whose required fields are there. The errors are those of one `verbose` engine, in its
 * order, and `lookup` belongs to that engine.
 */
export function resolveForms(
  errors: readonly ErrorObject[],
  lookup: SubschemaLookup,
): readonly ErrorObject[] {
  const found: { readonly error: ErrorObject; readonly forms?: readonly Form[] }[] = [];
  const own = withoutIf(errors);
  // Ajv reports a choice after the errors of its forms, so the outermost choice is met first from the end.
  for (let index = own.length - 1; index >= 0; index -= 1) {
    const error = own[index];
    if (error === undefined) break;
    const forms = CHOICES.has(error.keyword) ? formsOf(error, lookup) : undefined;
    index -= forms?.reduce((sum, form) => sum + form.errors.length, 0) ?? 0;
    found.push({ error, ...(forms && { forms }) });
  }
  const first = found.toReversed().slice(0, MAX_RESOLVED);
  return first.flatMap(({ error, forms }) => {
    if (forms !== undefined) return errorsOfChoice(error, forms, lookup);
    if (error.keyword !== 'discriminator') return [error];
    // Ajv tried no form
    const choice = { ...error, schema: error.parentSchema?.oneOf };
    return errorsOfChoice(choice, formsOf(choice, lookup), lookup);
  });
}

/** How many errors are looked into; far more than are reported. */
const MAX_RESOLVED = 100;

/** An `if` only repeats that its branch failed. */
function withoutIf(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  return errors.filter(({ keyword }) => keyword !== 'if');
}

/** A choice between schemas. */
const CHOICES: ReadonlySet<string> = new Set(['anyOf', 'oneOf']);

/** One branch of a choice, with what the value breaks of it. */
interface Form {
  /** Its schema and those that it includes by `allOf`. */
  readonly schemas: readonly JsonObject[];
  readonly errors: readonly ErrorObject[];
}

/** Up to the second one that fits, where a `oneOf` ends. */
function formsOf({ schema, data }: ErrorObject, lookup: SubschemaLookup): readonly Form[] {
  const forms: Form[] = [];
  for (const branch of elements(schema)) {
    const validate = isObject(branch) ? lookup(branch) : undefined;
    if (validate === undefined) continue;
    const errors = validate(data) ? [] : withoutIf(validate.errors ?? []);
    validate.errors = null; // they hold on to the payload
    forms.push({ schemas: schemasIn(validate.schema, lookup), errors });
    if (forms.filter((form) => form.errors.length === 0).length === 2) break;
  }
  return forms;
}

/** Deeper inclusions name no discriminator in practice; a circle ends here. */
const MAX_INCLUSIONS = 4;

function schemasIn(schema: unknown, lookup: SubschemaLookup, levels = MAX_INCLUSIONS): readonly JsonObject[] {
  if (!isObject(schema) || levels === 0) return [];
  const included = elements(schema.allOf).filter(isObject);
  return [schema, ...included.flatMap((one) => schemasIn(lookup(one)?.schema, lookup, levels - 1))];
}

function errorsOfChoice(
  choice: ErrorObject,
  forms: readonly Form[],
  lookup: SubschemaLookup,
): readonly ErrorObject[] {
  const fitting = forms.filter(({ errors }) => errors.length === 0);
  if (forms.length === 0 || fitting.length > 0) return [choice];
  const chosen = chooseForm(choice, forms);
  if ('keyword' in chosen) return [chosen];
  return resolveForms(chosen.errors, lookup).map((error) => ({
    ...withValuesOf(forms, error),
    instancePath: `${choice.instancePath}${error.instancePath}`,
  }));
}

/** A field whose value is none of this form's may have the values of the other forms too. */
function withValuesOf(forms: readonly Form[], error: ErrorObject): ErrorObject {
  const [name, ...deeper] = stepsOf(error.instancePath);
  if ((error.keyword !== 'const' && error.keyword !== 'enum') || name === undefined || deeper.length > 0)
    return error;
  const allowed = [...new Set(forms.flatMap((form) => tagValues(form, name) ?? []))];
  return allowed.length > 1 ? { ...error, keyword: 'enum', params: { allowedValues: allowed } } : error;
}

/** The form that the value is meant to have, or the error that keeps it from being any of them. */
function chooseForm(choice: ErrorObject, forms: readonly Form[]): Form | ErrorObject {
  const { data } = choice;
  const typed = forms.filter(({ schemas }) => schemas.every((schema) => admitsType(schema, data)));
  if (typed.length === 0) {
    const types = forms.flatMap(({ schemas }) => schemas.flatMap(typesOf));
    return { ...choice, keyword: 'type', params: { type: [...new Set(types)] } };
  }
  if (!isObject(data)) return best(typed, data) ?? choice;
  const byTag = narrowByTags(choice, typed, data);
  return 'keyword' in byTag ? byTag : (best(byTag.forms, data) ?? choice);
}

/** Goes through the discriminators: fields that every form gives a constant or an enum, and not all the same. */
function narrowByTags(
  choice: ErrorObject,
  forms: readonly Form[],
  data: JsonObject,
): { readonly forms: readonly Form[] } | ErrorObject {
  const { parentSchema } = choice;
  const declared = isObject(parentSchema?.discriminator) ? [parentSchema.discriminator.propertyName] : [];
  const names = new Set([...declared.filter((name) => typeof name === 'string'), ...tagNames(forms[0])]);
  let left = forms;
  for (const name of names) {
    const values = left.map((form) => tagValues(form, name));
    const allowed = [...new Set(values.flat())];
    const isTag = values.every((own) => own !== undefined && own.length < allowed.length);
    if (!isTag) continue;
    if (!Object.hasOwn(data, name)) {
      if (left.every((form) => requiredOf(form).includes(name)))
        return { ...choice, keyword: 'required', params: { missingProperty: name } };
      continue;
    }
    const admitting = left.filter((_, index) => values[index]?.includes(data[name]));
    if (admitting.length === 0) {
      const instancePath = `${choice.instancePath}${pointerOf([name])}`;
      return { ...choice, keyword: 'enum', instancePath, params: { allowedValues: allowed } };
    }
    left = admitting;
  }
  return { forms: left };
}

function tagNames(form: Form | undefined): readonly string[] {
  return form?.schemas.flatMap(({ properties }) => Object.keys(isObject(properties) ? properties : {})) ?? [];
}

/** The values that a form allows for a field; undefined when it names none. */
function tagValues({ schemas }: Form, name: string): readonly unknown[] | undefined {
  for (const { properties } of schemas) {
    const field = isObject(properties) ? properties[name] : undefined;
    if (!isObject(field)) continue;
    if (Object.hasOwn(field, 'const')) return [field.const];
    if (Array.isArray(field.enum)) return field.enum;
  }
  return undefined;
}

function requiredOf({ schemas }: Form): readonly unknown[] {
  return schemas.flatMap(({ required }) => elements(required));
}

/**
 * The form of whose required fields most have the right constant, then most are present and fewest missing; then the one
 * with the most known fields and the fewest errors, and that was followed deepest. Of forms without a known field the first
 * one listed wins: it is the usual one.
 */
function best(forms: readonly Form[], data: unknown): Form | undefined {
  const names = isObject(data) ? Object.keys(data) : [];
  const ranked = forms.map((form) => {
    const required = requiredOf(form).map(String);
    const present = required.filter((name) => names.includes(name));
    const tagged = present.filter((name) => tagValues(form, name)?.includes(member(data, name))).length;
    const known = names.filter((name) => tagNames(form).includes(name)).length;
    if (isObject(data) && present.length === 0 && known === 0) return { form, rank: [] };
    const missing = present.length === 0 ? 0 : required.length - present.length;
    const depth = Math.max(0, ...form.errors.map(({ instancePath }) => instancePath.split('/').length));
    const isOtherValue = form.errors.some(
      ({ keyword, instancePath }) => instancePath === '' && (keyword === 'enum' || keyword === 'const'),
    );
    const errors = form.errors.length;
    return { form, rank: [tagged, present.length, -missing, known, Number(!isOtherValue), -errors, depth] };
  });
  const [first] = ranked.toSorted((a, b) => compareRanks(b.rank, a.rank));
  return first?.form;
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const longest = a.length > b.length ? a : b;
  const index = longest.findIndex((_, at) => (a[at] ?? 0) !== (b[at] ?? 0));
  return index === -1 ? 0 : (a[index] ?? 0) - (b[index] ?? 0);
}

function admitsType(schema: JsonObject, data: unknown): boolean {
  const types = typesOf(schema);
  return (
    types.length === 0 ||
    types.includes(typeOf(data)) ||
    (types.includes('integer') && typeof data === 'number')
  );
}

/** The JSON types that a schema says, or that its constants have. */
function typesOf({
  type,
  const: constant,
  enum: values,
  required,
  properties,
}: JsonObject): readonly string[] {
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.map(String);
  if (constant !== undefined) return [typeOf(constant)];
  if (Array.isArray(values)) return [...new Set(values.map(typeOf))];
  return required !== undefined || properties !== undefined ? ['object'] : [];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/**
 * What is always required comes before what follows from another field, and of one text its format, which has words,
 * before its pattern.
 */
function relevantErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  return formatsFirst(errors.toSorted((a, b) => Number(isConditional(a)) - Number(isConditional(b))));
}

function formatsFirst(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const formats = new Set(errors.filter(isFormat).map(({ instancePath }) => instancePath));
  const late = errors.filter(
    ({ keyword, instancePath }) => keyword === 'pattern' && formats.has(instancePath),
  );
  return errors
    .filter((error) => !late.includes(error))
    .flatMap((error) =>
      isFormat(error)
        ? [error, ...late.filter(({ instancePath }) => instancePath === error.instancePath)]
        : [error],
    );
}

function isFormat({ keyword }: ErrorObject): boolean {
  return keyword === 'format';
}

function isConditional({ schemaPath }: ErrorObject): boolean {
  return /\/(?:then|else)\//.test(schemaPath);
}

function issueOf(error: ErrorObject): Issue {
  const field = missingIn(error) ?? unknownIn(error);
  const pointer = `${error.instancePath}${field === undefined ? '' : pointerOf([field])}`;
  return { pointer, message: messageOf(error), keyword: error.keyword };
}

/** The field whose absence is the error. */
function missingIn({ keyword, params }: ErrorObject): string | undefined {
  return MISSING.has(keyword) ? String(params.missingProperty) : undefined;
}

/** The field whose presence is the error. */
function unknownIn({ keyword, params }: ErrorObject): string | undefined {
  return keyword === 'additionalProperties' ? String(params.additionalProperty) : undefined;
}

const MISSING: ReadonlySet<string> = new Set(['required', 'dependentRequired', 'dependencies']);

function codeOf({ keyword, parentSchema }: ErrorObject): KnownErrorCode {
  if (SHAPE.has(keyword)) return 'INVALID_REQUEST';
  const own: unknown = parentSchema?.['x-error-code'];
  return typeof own === 'string' ? (own as KnownErrorCode) : 'VALIDATION_ERROR';
}

/** The most values that a message lists. */
const MAX_VALUES = 20;

/** Describes what a value must be; never repeats the value, which may be anything. */
function messageOf({ keyword, params, schema, data }: ErrorObject): string {
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return 'is missing';
    case 'type':
      return `must be ${[params.type].flat().join(' or ')}`;
    case 'enum':
      return `must be one of ${listOf(params.allowedValues as readonly unknown[])}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case 'format':
      return `must be ${FORMATS[String(params.format)] ?? `a ${String(params.format)}`}`;
    case 'pattern':
      return `must match ${String(params.pattern)}`;
    case 'anyOf':
      return 'matches none of the allowed forms';
    case 'oneOf':
      return params.passingSchemas === null
        ? 'matches none of the allowed forms'
        : 'matches several forms that exclude each other';
    case 'not':
      return excludedBy(schema, data);
    case 'additionalProperties':
      return 'is not allowed here';
    case 'minLength':
    case 'minItems':
      return params.limit === 1 ? 'must not be empty' : boundOf(keyword, params.limit);
    default:
      return boundOf(keyword, params.limit);
  }
}

function listOf(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_VALUES).join(', ');
  return values.length > MAX_VALUES ? `${shown}, … (${values.length} values)` : shown;
}

/** The fields that a `not` excludes and that are there; their names are those of the schema. */
function excludedBy(schema: unknown, data: unknown): string {
  const rules = isObject(schema) ? [schema, ...elements(schema.anyOf).filter(isObject)] : [];
  const names = rules.flatMap(({ required }) => elements(required).map(String));
  const present = names.filter((name) => isObject(data) && Object.hasOwn(data, name));
  return present.length > 0 ? `must not have ${listOf(present)} in this form` : 'is not allowed in this form';
}

const FORMATS: Readonly<Record<string, string>> = {
  uri: 'an absolute URL',
  date: 'a date, YYYY-MM-DD',
  'date-time': 'an RFC 3339 timestamp, for example 2026-03-01T00:00:00Z',
};

const BOUND_WORDS: Readonly<Record<string, string>> = {
  minimum: 'be at least',
  maximum: 'be at most',
  minLength: 'have at least',
  maxLength: 'have at most',
  minItems: 'have at least',
  maxItems: 'have at most',
  maxProperties: 'have at most',
};

/** What a bound counts; nothing for a number's own value. */
const THINGS: Readonly<Record<string, string>> = {
  minLength: 'characters',
  maxLength: 'characters',
  minItems: 'items',
  maxItems: 'items',
  maxProperties: 'members',
};

function boundOf(keyword: string, limit: unknown): string {
  return `must ${BOUND_WORDS[keyword] ?? keyword} ${String(limit ?? '')} ${THINGS[keyword] ?? ''}`.trimEnd();
}

function suggestionOf({ keyword, params, parentSchema }: ErrorObject): string {
  if (keyword === 'required') return `add ${String(params.missingProperty)}`;
  const meaning: unknown = parentSchema?.description;
  return typeof meaning === 'string' && meaning !== ''
    ? `expected: ${meaning}`
    : 'see the schema of the task';
}
