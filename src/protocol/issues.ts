import type { ErrorObject } from 'ajv/dist/2020.js';
import { pointerOf } from '../base/json.ts';
import { placeName } from './bounds.ts';
import type { KnownErrorCode } from './generated/types.ts';
import { type Problem, problem } from './problem.ts';

/** One place where a payload does not follow its schema. */
export interface Issue {
  /** JSON Pointer, to the missing member where one is missing. */
  readonly pointer: string;
  readonly message: string;
  /** The keyword of JSON Schema that is broken. */
  readonly keyword: string;
}

/** How many places are told at once. */
const MAX_ISSUES = 20;

/** What is wrong with the shape of a request and not with a value. */
const SHAPE: ReadonlySet<string> = new Set(['required', 'type']);

/** A choice between schemas; what its branches say is left out. */
const CHOICES: ReadonlySet<string> = new Set(['anyOf', 'oneOf']);

/** The places that a validator found, at most twenty; what a choice between schemas implies is told once. */
export function issuesOf(errors: readonly ErrorObject[]): readonly Issue[] {
  return relevantErrors(errors).slice(0, MAX_ISSUES).map(issueOf);
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

/**
 * Leaves out `if`, which only repeats its branch, and what the branches of an `anyOf` say. What is always asked for
 * comes before what follows from another field, and of one text its format, which has words, before its pattern.
 */
function relevantErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  return formatsFirst(chosen(errors));
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

function chosen(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const choices = errors
    .filter(({ keyword }) => CHOICES.has(keyword))
    .map(({ instancePath }) => instancePath);
  return errors
    .filter(
      ({ keyword, instancePath }) =>
        keyword !== 'if' &&
        (CHOICES.has(keyword) || !choices.some((choice) => isAtOrBelow(instancePath, choice))),
    )
    .toSorted((a, b) => Number(isConditional(a)) - Number(isConditional(b)));
}

function isConditional({ schemaPath }: ErrorObject): boolean {
  return /\/(?:then|else)\//.test(schemaPath);
}

function isAtOrBelow(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function issueOf(error: ErrorObject): Issue {
  const missing = error.keyword === 'required' ? pointerOf([String(error.params.missingProperty)]) : '';
  return { pointer: `${error.instancePath}${missing}`, message: messageOf(error), keyword: error.keyword };
}

function codeOf({ keyword, parentSchema }: ErrorObject): KnownErrorCode {
  if (SHAPE.has(keyword)) return 'INVALID_REQUEST';
  const own: unknown = parentSchema?.['x-error-code'];
  return typeof own === 'string' ? (own as KnownErrorCode) : 'VALIDATION_ERROR';
}

/** Says what a value must be in words; never repeats the value, which may be anything. */
function messageOf({ keyword, params }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is missing';
    case 'type':
      return `must be ${withArticle(String(params.type))}`;
    case 'enum':
      return `must be one of ${(params.allowedValues as readonly unknown[]).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case 'format':
      return `must be ${FORMATS[String(params.format)] ?? `a ${String(params.format)}`}`;
    case 'pattern':
      return `must match ${String(params.pattern)}`;
    case 'anyOf':
    case 'oneOf':
      return 'has none of the forms that are possible here';
    case 'minLength':
    case 'minItems':
      return params.limit === 1 ? 'must not be empty' : boundOf(keyword, params.limit);
    default:
      return boundOf(keyword, params.limit);
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  uri: 'an absolute URL',
  date: 'a date, YYYY-MM-DD',
  'date-time': 'a time as in RFC 3339, for example 2026-03-01T00:00:00Z',
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

function withArticle(type: string): string {
  if (type === 'array') return 'a list';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function suggestionOf({ keyword, params, parentSchema }: ErrorObject): string {
  if (keyword === 'required') return `add ${String(params.missingProperty)}`;
  const meaning: unknown = parentSchema?.description;
  return typeof meaning === 'string' && meaning !== ''
    ? `what is expected: ${meaning}`
    : 'see the schema of the task';
}
