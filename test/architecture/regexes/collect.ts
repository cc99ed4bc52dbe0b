import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast';
import { API, type Checker, TypeFlags } from 'typescript/unstable/sync';
import { pointerTo } from '../../../src/base/json.ts';

/** A regular expression of ours with its place, or a place that makes one while the program runs. */
export interface FoundRegex {
  /** Path from the root, and the line or the JSON pointer. */
  readonly place: string;
  /** As a literal, `/^a+$/u`; undefined where it is made from a text that is not known here. */
  readonly literal?: string;
  /** Where it is made: the source of the expression. */
  readonly made?: string;
}

/** Methods of a text that make a regular expression of another text. */
const TEXT_METHODS = ['match', 'matchAll', 'search'];
/** Members of a JSON schema in TypeScript. */
const SCHEMA_MEMBERS = ['pattern'];

/** The regular expressions in the TypeScript files of some folders, by the syntax tree of the compiler. */
export function regexesInCode(root: string, folders: readonly string[]): readonly FoundRegex[] {
  const config = join(root, 'tsconfig.json');
  const api = new API({ cwd: root });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`there is no project ${config}`);
    const { program, checker } = project;
    return program.getSourceFileNames().flatMap((name) => {
      const path = relative(root, name);
      const isOurs =
        folders.some((folder) => path.startsWith(`${folder}/`)) && !path.includes('node_modules');
      const file = isOurs ? program.getSourceFile(name) : undefined;
      return file === undefined ? [] : inFile(file, path, checker);
    });
  } finally {
    api.close();
  }
}

function inFile(file: SourceFile, path: string, checker: Checker): readonly FoundRegex[] {
  const found: FoundRegex[] = [];
  const visit = (node: Node): void => {
    const place = () => `${path}:${file.text.slice(0, node.getStart(file)).split('\n').length}`;
    const literal = literalOf(node);
    if (literal !== undefined) found.push({ place: place(), literal });
    else if (makesRegex(node, checker)) found.push({ place: place(), made: textOf(node, file) });
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

/** A literal, or the pattern of a schema that stands in the code. */
function literalOf(node: Node): string | undefined {
  if (node.kind === SyntaxKind.RegularExpressionLiteral)
    return (node as Node & { readonly text: string }).text;
  if (node.kind !== SyntaxKind.PropertyAssignment) return undefined;
  const { name, initializer } = node as Node & { readonly name: Node; readonly initializer: Node };
  const isPattern = SCHEMA_MEMBERS.includes((name as Node & { readonly text?: string }).text ?? '');
  return isPattern && initializer.kind === SyntaxKind.StringLiteral
    ? schemaRegex((initializer as Node & { readonly text: string }).text)
    : undefined;
}

/** The name RegExp as a value, whatever is done with it, and a text where a method takes an expression. */
function makesRegex(node: Node, checker: Checker): boolean {
  if (node.kind === SyntaxKind.Identifier && (node as Node & { readonly text: string }).text === 'RegExp')
    return ![SyntaxKind.TypeReference, SyntaxKind.ExpressionWithTypeArguments].includes(node.parent.kind);
  if (node.kind !== SyntaxKind.CallExpression) return false;
  const { expression, arguments: given } = node as Node & {
    readonly expression: Node & { readonly name?: Node & { readonly text?: string } };
    readonly arguments: readonly Node[];
  };
  const [first] = given;
  if (first === undefined || !TEXT_METHODS.includes(expression.name?.text ?? '')) return false;
  const type = checker.getTypeAtLocation(first);
  return type !== undefined && (type.flags & (TypeFlags.String | TypeFlags.StringLiteral)) !== 0;
}

function textOf(node: Node, file: SourceFile): string {
  const whole = node.kind === SyntaxKind.Identifier ? node.parent : node;
  return file.text.slice(whole.getStart(file), whole.end).replaceAll(/\s+/g, ' ');
}

/** The patterns of the JSON schemas under a folder; Ajv compiles each of them as it stands there. */
export function regexesInSchemas(root: string, folder: string): readonly FoundRegex[] {
  return globSync(`${folder}/**/*.json`, { cwd: root }).flatMap((path) =>
    patternsIn(JSON.parse(readFileSync(join(root, path), 'utf8')), `${path}#`),
  );
}

function patternsIn(value: unknown, place: string): readonly FoundRegex[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inside]: [string, unknown]) => {
    const at = pointerTo(place, name);
    if (name === 'pattern' && typeof inside === 'string')
      return [{ place: at, literal: schemaRegex(inside) }];
    const own = name === 'patternProperties' ? Object.keys(inside as object) : [];
    return [
      ...own.map((pattern) => ({ place: at, literal: schemaRegex(pattern) })),
      ...patternsIn(inside, at),
    ];
  });
}

function schemaRegex(pattern: string): string {
  return String(new RegExp(pattern, 'u'));
}
