import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
  visit,
  type YAMLMap,
} from 'yaml';
import { depthOf, hasMoreValues, stepsOf } from './json.ts';
import type { Position } from './json-positions.ts';

/** What a text may be at most. All of it is counted before the work that grows with it. */
export interface YamlBounds {
  /** The smallest parts: marks, blanks, line ends and scalars; about one for each four characters. */
  readonly parts: number;
  /** Objects and lists inside each other. */
  readonly depth: number;
}

export interface YamlFault extends Position {
  readonly code: 'yaml_syntax' | 'yaml_tag' | 'duplicate_key' | 'too_deep' | 'too_many_values' | 'alias_bomb';
  /** One clause, lower case. */
  readonly message: string;
}

/** The plain value of a YAML text, with the way back from a JSON Pointer to its place. */
export interface YamlText {
  readonly value: unknown;
  /** Of the value there, or of the nearest thing around it. */
  positionOf(pointer: string): Position;
}

/** An alias repeats what it stands for, and each is looked up from the beginning of the text. */
const MAX_ALIASES = 100;
/** Maximum number of reported syntax errors. */
const MAX_FAULTS = 20;
const START: Position = { line: 1, column: 1 };
const OPTIONS = {
  strict: true,
  uniqueKeys: false,
  schema: 'core',
  merge: false,
  logLevel: 'silent',
} as const;

type PlaceOf = (offset: number | undefined) => Position;

/**
 * Reads one YAML document as JSON data: no tags, each key once and a single value, aliases and depth bounded. In time
 * and memory proportional to the text, which the library's own check of keys, its error messages and its recursion are
 * not. Never throws.
 */
export function readYaml(text: string, bounds: YamlBounds): YamlText | readonly YamlFault[] {
  const lines = new LineCounter();
  const at: PlaceOf = (offset) => positionIn(lines, offset);
  const tokens = tokensOf(text, lines, bounds);
  if (!Array.isArray(tokens)) return [fault(tokens.code, tokens.message, at(tokens.offset))];
  const [document, second] = composed(tokens, text.length);
  if (document === undefined) return [fault('yaml_syntax', 'the document is empty', START)];
  const wrong = [...document.errors, ...document.warnings];
  if (wrong.length > 0)
    return wrong.slice(0, MAX_FAULTS).map(({ code, message, pos }) => syntaxFault(code, message, at(pos[0])));
  if (second !== undefined) return [fault('yaml_syntax', 'more than one document', at(second.range[0]))];
  const forbidden = forbiddenIn(document, at);
  return forbidden === undefined ? plainValue(document, lines, bounds) : [forbidden];
}

interface TooMuch {
  readonly code: YamlFault['code'];
  readonly message: string;
  readonly offset?: number;
}

/** The syntax, one token for each document and what stands around it. Asked at each part, as the parser recurses too. */
function tokensOf(text: string, lines: LineCounter, bounds: YamlBounds): CST.Token[] | TooMuch {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let parts = 0;
  for (const lexeme of new Lexer().lex(text)) {
    parts += 1;
    if (parts > bounds.parts) return { code: 'too_many_values', message: `more than ${bounds.parts} nodes` };
    for (const token of parser.next(lexeme)) tokens.push(token);
    // a document, what it is nested in, and a single value
    if (parser.stack.length > bounds.depth + 2) {
      const message = `nested more than ${bounds.depth} levels deep`;
      return { code: 'too_deep', message, offset: parser.stack.at(-1)?.offset ?? 0 };
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

/** A broken text has an error for each few characters; the stacks that nobody reads would be most of the time. */
function composed(tokens: readonly CST.Token[], length: number): readonly (Document.Parsed | undefined)[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const [first, second] = new Composer(OPTIONS).compose(tokens, true, length);
    return [first, second];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** What the syntax allows and JSON data does not have: tags, a key twice, keys that are no text. */
function forbiddenIn(document: Document, at: PlaceOf): YamlFault | undefined {
  let found: YamlFault | undefined;
  let aliases = 0;
  visit(document, (_key, node) => {
    if (!isNode(node)) return undefined;
    const tag = 'tag' in node && typeof node.tag === 'string' ? node.tag : undefined;
    if (isAlias(node)) aliases += 1;
    if (aliases > MAX_ALIASES)
      found = fault('alias_bomb', `more than ${MAX_ALIASES} aliases`, at(node.range?.[0]));
    else if (tag !== undefined && !tag.startsWith('tag:yaml.org,2002:'))
      found = fault('yaml_tag', 'tags are not supported', at(node.range?.[0]));
    else if (isMap(node)) found = keyFault(node, at);
    return found === undefined ? undefined : visit.BREAK;
  });
  return found;
}

/** Keys are compared as JSON has them: `1` and `"1"` are one. */
function keyFault(map: YAMLMap, at: PlaceOf): YamlFault | undefined {
  const seen = new Set<string>();
  for (const { key } of map.items) {
    const place = at(isNode(key) ? key.range?.[0] : map.range?.[0]);
    if (!isScalar(key)) return fault('yaml_syntax', 'a key is neither a string nor a number', place);
    const name = String(key.value ?? '');
    if (seen.has(name)) return fault('duplicate_key', 'map keys must be unique', place);
    seen.add(name);
  }
  return undefined;
}

function plainValue(
  document: Document,
  lines: LineCounter,
  { parts, depth }: YamlBounds,
): YamlText | readonly YamlFault[] {
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    // Counted first: an alias inside of what it stands for has no end.
    if (hasMoreValues(value, parts) || depthOf(value, depth) > depth)
      return [fault('alias_bomb', 'aliases expand to too much data', START)];
    return { value, positionOf: (pointer) => positionOf(pointer, document, lines) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return [fault('alias_bomb', `aliases cannot be resolved: ${reason?.toLowerCase()}`, START)];
  }
}

function positionOf(pointer: string, document: Document, lines: LineCounter): Position {
  const path = stepsOf(pointer).map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return positionIn(lines, node.range[0]);
  }
  return START;
}

function positionIn(lines: LineCounter, offset = 0): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function syntaxFault(code: string, message: string, place: Position): YamlFault {
  const known = code === 'TAG_RESOLVE_FAILED' ? 'yaml_tag' : 'yaml_syntax';
  return fault(known, message.charAt(0).toLowerCase() + message.slice(1), place);
}

function fault(code: YamlFault['code'], message: string, { line, column }: Position): YamlFault {
  return { code, message, line, column };
}
