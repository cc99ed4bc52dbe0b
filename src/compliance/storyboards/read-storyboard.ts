import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { createAjv, readSchema } from '../../base/ajv.ts';
import { elements, isObject, type JsonObject, member, pointerTo } from '../../base/json.ts';
import { readYaml, type YamlFault, type YamlText } from '../../base/yaml.ts';
import { type Finding, hasErrors } from '../../domain/finding.ts';
import type { Storyboard } from '../storyboard.ts';
import { normalise } from './normalise-storyboard.ts';
import { reviewStoryboard } from './review-storyboard.ts';

/** A storyboard, absent when the file cannot be used, and what was found in it. */
export interface ReadStoryboard {
  readonly storyboard?: Storyboard;
  readonly findings: readonly Finding[];
}

const MAX_FINDINGS = 20;
/** Of one file. */
export const MAX_STORYBOARD_BYTES = 512 * 1024;
/** A storyboard of 14 KiB has 3,000 parts. */
const BOUNDS = { parts: 60_000, depth: 32 };

// The schema is shipped and never changes while the program runs.
let compiled: ValidateFunction | undefined;

/**
 * Reads a storyboard in the public YAML format. Findings of severity `error` make it unusable; a `warning` is a part
 * that has no effect, an unknown kind of check for example. Every finding has line, column and JSON Pointer.
 */
export function readStoryboard(text: string): ReadStoryboard {
  if (Buffer.byteLength(text) > MAX_STORYBOARD_BYTES) return { findings: [TOO_LARGE] };
  const yaml = readYaml(text, BOUNDS);
  if (!('value' in yaml)) return { findings: yaml.map(findingOfFault) };
  const wrong = schemaFindings(yaml);
  if (wrong.length > 0) return { findings: wrong };
  const storyboard = normalise(yaml.value as JsonObject);
  const findings = reviewStoryboard(storyboard).map((finding) => ({
    ...finding,
    ...yaml.positionOf(finding.pointer),
  }));
  return hasErrors(findings) ? { findings } : { storyboard, findings };
}

const TOO_LARGE = findingOfFault({
  code: 'file_too_large',
  message: `the file is larger than ${MAX_STORYBOARD_BYTES / 1024} KiB`,
  line: 1,
  column: 1,
});

function findingOfFault(fault: Omit<YamlFault, 'code'> & { readonly code: string }): Finding {
  return { severity: 'error', pointer: '', ...fault };
}

/** True for a YAML file that is something else: the public bundles keep contracts and kits beside the storyboards. */
export function looksLikeStoryboard(text: string): boolean {
  return /^phases:/m.test(text) || /^"phases"/m.test(text);
}

function schemaFindings(yaml: YamlText): readonly Finding[] {
  const validate = validator();
  if (validate(yaml.value)) return [];
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'oneOf' && keyword !== 'anyOf');
  const told = errors.length > 0 ? errors : (validate.errors ?? []);
  return told.slice(0, MAX_FINDINGS).map((error) => schemaFinding(error, yaml));
}

function schemaFinding(error: ErrorObject, yaml: YamlText): Finding {
  const { keyword, params, instancePath } = error;
  const missing = keyword === 'required' ? String(params.missingProperty) : undefined;
  const pointer = missing === undefined ? instancePath : pointerTo(instancePath, missing);
  return {
    severity: 'error',
    code: 'schema',
    pointer,
    ...yaml.positionOf(instancePath),
    message:
      missing === undefined ? `${instancePath || 'the file'} ${messageOf(error)}` : `${missing} is missing`,
    hint: hintAt(instancePath, yaml.value),
  };
}

function messageOf({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'enum') return `must be one of ${elements(params.allowedValues).join(', ')}`;
  return message ?? 'is wrong';
}

/** People look for a step by its id sooner than by its number. */
function hintAt(pointer: string, root: unknown): string {
  const match = /^\/phases\/(\d+)(?:\/steps\/(\d+))?/.exec(pointer);
  const phase = match === null ? undefined : elements(member(root, 'phases'))[Number(match[1])];
  const step = match?.[2] === undefined ? undefined : elements(member(phase, 'steps'))[Number(match[2])];
  const names = [phase, step].flatMap((item) =>
    isObject(item) && typeof item.id === 'string' ? [item.id] : [],
  );
  const where = names.length === 0 ? '' : `in ${names.join('/')}; `;
  return `${where}the format is schemas/storyboard.json`;
}

function validator(): ValidateFunction {
  compiled ??= createAjv({ allErrors: true, strictRequired: false }).compile(readSchema('storyboard.json'));
  return compiled;
}
