import { type Document, isNode, LineCounter, parseDocument, visit } from 'yaml';
import { depthOf } from '../../base/json.ts';
import { yamlPosition, yamlPositionOf } from '../../base/yaml-positions.ts';
import type { Finding } from '../../domain/finding.ts';

/** Of one file. */
export const MAX_STORYBOARD_BYTES = 512 * 1024;
/** Objects and lists inside each other. */
const MAX_DEPTH = 32;
const TOO_DEEP = `the file is nested more than ${MAX_DEPTH} deep`;
/** What an alias stands for is repeated where it stands: more than this many repetitions are a bomb. */
const MAX_ALIASES = 100;
const MAX_SYNTAX_FINDINGS = 20;

/** The plain value of a YAML text, with the way back from a JSON Pointer to its place. */
export interface YamlText {
  readonly value: unknown;
  place(pointer: string): Pick<Finding, 'line' | 'column'>;
}

/**
 * Reads one YAML document as JSON data: no tags, no repeated keys, aliases and depth bounded. What is wrong is told as
 * findings with line and column; never throws.
 */
export function readYaml(text: string): YamlText | readonly Finding[] {
  if (Buffer.byteLength(text) > MAX_STORYBOARD_BYTES)
    return [
      problem('file_too_large', `the file is larger than ${MAX_STORYBOARD_BYTES / 1024} KiB`, {
        line: 1,
        column: 1,
      }),
    ];
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    strict: true,
    uniqueKeys: true,
    schema: 'core',
    merge: false,
    logLevel: 'silent',
  });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0)
    return faults.slice(0, MAX_SYNTAX_FINDINGS).map((fault) => syntaxFinding(fault, lines));
  const outside = forbidden(document, lines);
  if (outside !== undefined) return [outside];
  return plainValue(document, lines);
}

function plainValue(document: Document, lines: LineCounter): YamlText | readonly Finding[] {
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (depthOf(value, MAX_DEPTH) > MAX_DEPTH) return [problem('too_deep', TOO_DEEP, { line: 1, column: 1 })];
    return { value, place: (pointer) => yamlPositionOf(pointer, document, lines) ?? { line: 1, column: 1 } };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return [
      problem('alias_bomb', `the aliases cannot be followed: ${reason?.toLowerCase()}`, {
        line: 1,
        column: 1,
      }),
    ];
  }
}

/** A tag says what a value is to a program; data has none. */
function forbidden(document: Document, lines: LineCounter): Finding | undefined {
  let found: Finding | undefined;
  visit(document, (_key, node) => {
    if (!isNode(node)) return undefined;
    const tag = 'tag' in node && typeof node.tag === 'string' ? node.tag : undefined;
    if (tag !== undefined && !tag.startsWith('tag:yaml.org,2002:'))
      found = problem(
        'yaml_tag',
        'a tag is used, and tags are not read',
        yamlPosition(node.range?.[0], lines),
      );
    return found === undefined ? undefined : visit.BREAK;
  });
  return found;
}

function syntaxFinding(
  {
    message,
    pos,
    code,
  }: { readonly message: string; readonly pos: readonly number[]; readonly code: string },
  lines: LineCounter,
): Finding {
  if (/call stack/.test(message)) return problem('too_deep', TOO_DEEP, yamlPosition(pos[0], lines));
  const known =
    code === 'DUPLICATE_KEY' ? 'duplicate_key' : code === 'TAG_RESOLVE_FAILED' ? 'yaml_tag' : 'yaml_syntax';
  const told = (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
  return problem(known, told.charAt(0).toLowerCase() + told.slice(1), yamlPosition(pos[0], lines));
}

function problem(code: string, message: string, place: Pick<Finding, 'line' | 'column'>): Finding {
  return { severity: 'error', code, pointer: '', message, ...place };
}
