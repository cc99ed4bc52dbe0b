import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { createAjv, readSchema } from '../../base/ajv.ts';
import { elements, isObject, type JsonObject, member, pointerTo } from '../../base/json.ts';
import type { Position } from '../../base/json-positions.ts';
import { readYaml, type YamlFault, type YamlText } from '../../base/yaml.ts';
import { type Finding, hasErrors } from '../../domain/finding.ts';
import type { Storyboard } from '../storyboard.ts';
import { type BundleFiles, MAX_STORYBOARD_BYTES, STORYBOARD_BOUNDS } from './bundle-files.ts';
import { normalise } from './normalise-storyboard.ts';
import { reviewStoryboard } from './review-storyboard.ts';
import { type NotUnderstood, notUnderstood, withUnsupported } from './understood.ts';

/** A storyboard, absent when the file cannot be used, and what was found in it. */
export interface ReadStoryboard {
  readonly storyboard?: Storyboard;
  readonly findings: readonly Finding[];
  /** Members and values that have no effect, each once. */
  readonly unknown: readonly UnknownName[];
}

/** `step.retry_trigger.colour`, and where it stands first. */
export type UnknownName = Pick<NotUnderstood, 'name'> & Position;

const MAX_FINDINGS = 20;
// The schema is shipped and never changes while the program runs.
let compiled: ValidateFunction | undefined;

/**
 * Reads a storyboard in the public YAML format. Findings of severity `error` make it unusable; a `warning` is a part
 * that has no effect, an unknown kind of check for example. Every finding has line, column and JSON Pointer.
 */
export function readStoryboard(
  text: string,
  { kits = new Map(), ...files }: Partial<Pick<BundleFiles, 'kits' | 'vectors' | 'vectorKeys'>> = {},
): ReadStoryboard {
  if (Buffer.byteLength(text) > MAX_STORYBOARD_BYTES) return { findings: [TOO_LARGE], unknown: [] };
  const yaml = readYaml(text, STORYBOARD_BOUNDS);
  if (!('value' in yaml)) return { findings: yaml.map(findingOfFault), unknown: [] };
  const wrong = schemaFindings(yaml);
  if (wrong.length > 0) return { findings: wrong, unknown: [] };
  const document = withVectors(yaml.value as JsonObject, files);
  const kit = String(member(document.prerequisites, 'test_kit'));
  const places = notUnderstood(document);
  const storyboard = withUnsupported(normalise(document, kits.get(kit)), places);
  const firsts = [...Map.groupBy(places, ({ name }) => name).values()].flatMap((all) => all.slice(0, 1));
  const unknown = firsts.map(({ name, pointer }) => ({ name, ...yaml.positionOf(pointer) }));
  const findings = reviewStoryboard(storyboard).map((finding) => ({
    ...finding,
    ...yaml.positionOf(finding.pointer),
  }));
  return hasErrors(findings) ? { findings, unknown } : { storyboard, findings, unknown };
}

/** The phases of the public storyboard of signatures have no steps: each vector of that folder is one. */
function withVectors(
  document: JsonObject,
  { vectors = new Map(), vectorKeys: keys = [] }: Partial<Pick<BundleFiles, 'vectors' | 'vectorKeys'>>,
): JsonObject {
  const phases = elements(document.phases).map((phase) => {
    const kind = /^(positive|negative)_vectors$/.exec(String(member(phase, 'id')))?.[1];
    if (kind === undefined || !isObject(phase) || phase.steps !== undefined) return phase;
    const own = [...vectors].filter(([name]) => name.startsWith(`${kind}/`));
    const steps = own.map(([name, vector]) => ({
      id: name.replace('/', '-'),
      title: `Signed request ${name}`,
      task: 'request_signing_probe',
      vector: { name, document: vector, keys },
    }));
    return { ...phase, steps };
  });
  const hasVectors = phases.some((phase, index) => phase !== elements(document.phases)[index]);
  // whoever does not say that it verifies signatures is not asked to
  const gate = hasVectors && { requires_capability: { path: 'request_signing.supported', equals: true } };
  return { ...gate, ...document, phases };
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
  compiled ??= createAjv({ allErrors: true, strictRequired: false, keywords: ['understood'] }).compile(
    readSchema('storyboard.json'),
  );
  return compiled;
}
