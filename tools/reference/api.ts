import { PROBLEMS } from '../../src/api/problem.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { servedDocument } from '../served-document.ts';
import { anchorOf, code, pageHead, sentence, table } from './markdown.ts';

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly JsonObject[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: JsonObject };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}
export type Paths = Record<string, Record<string, Operation>>;
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonObject;
}

/** Every operation of the OpenAPI document with its parameters and answers, and the problem codes. */
export async function apiPage(): Promise<string> {
  const paths: Paths = (await servedDocument()).paths;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      title: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  return [
    pageHead(
      'API operations',
      [
        'A registry serves this description as `/openapi.json`, with the schema of each answer.',
        'At `/docs` the same stands as pages, with a form to try each operation.',
        'Send an API key as `Authorization: Bearer …`. Most operations need none.',
      ].join('\n'),
    ),
    table(
      ['operation', 'what it does'],
      operations.map(({ title, operation }) => [
        `[${code(title)}](#${anchorOf(title)})`,
        sentence(operation.summary ?? ''),
      ]),
    ),
    ...operations.map(({ title, operation }) => operationSection(title, operation)),
    '## Problem codes\n',
    'A refusal is `application/problem+json` with one of these codes.\n',
    table(
      ['code', 'status', 'title'],
      Object.entries(PROBLEMS).map(([name, { status, title }]) => [code(name), String(status), title]),
    ),
  ].join('\n');
}

function operationSection(title: string, operation: Operation): string {
  const { summary = '', description = '', parameters = [], requestBody, responses } = operation;
  return [
    `## \`${title}\`\n`,
    [sentence(summary), sentence(description)].filter((text) => text !== '').join('\n'),
    '',
    ...(parameters.length === 0 ? [] : ['Parameters:\n', ...parameters.map(parameterLine), '']),
    ...(requestBody === undefined
      ? []
      : [`Body: ${Object.keys(requestBody.content).map(code).join(' or ')}.\n`]),
    'Answers:\n',
    ...Object.entries(responses).map(
      ([status, answer]) => `- ${code(status)}: ${sentence(answer.description)}`,
    ),
    '',
  ].join('\n');
}

function parameterLine({ name, in: place, required, description = '', schema }: Parameter): string {
  const where = place === 'query' ? '' : `, in the ${place}`;
  const must = required === true && place !== 'path' ? ', required' : '';
  return `- ${code(name)} (${valuesOf(schema)}${where}${must}). ${sentence(description)}`.trimEnd();
}

function valuesOf(schema: JsonObject): string {
  const { type, items, minimum, maximum, maxLength } = schema;
  const values = schema.enum as readonly string[] | undefined;
  if (values !== undefined) return values.map(code).join(', ');
  if (type === 'array') return `repeatable; ${valuesOf(items as JsonObject)}`;
  if (type === 'integer') return `integer${range(minimum, maximum)}`;
  if (maxLength !== undefined) return `text, up to ${String(maxLength)} characters`;
  return type === 'string' ? 'text' : String(type ?? 'text');
}

function range(minimum: unknown, maximum: unknown): string {
  if (minimum === undefined) return '';
  return maximum === undefined ? ` from ${String(minimum)}` : `, ${String(minimum)} to ${String(maximum)}`;
}
