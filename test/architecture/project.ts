import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** A file of the project and what it imports, read as text: every import names its file with its ending. */
export interface ProjectFile {
  /** From the root. */
  readonly path: string;
  readonly text: string;
  /** The specifiers of its imports and re-exports, types and dynamic ones included. */
  readonly specifiers: readonly string[];
  /** Those that lead to files of the project, as paths from the root. */
  readonly imports: readonly string[];
  /** Of these the ones from which it imports more than types. */
  readonly valueImports: readonly string[];
}

/** The TypeScript files of some folders under a root. */
export function readProject(root: string, folders: readonly string[]): readonly ProjectFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
      .map((name) => projectFile(root, `${folder}/${name}`)),
  );
}

function projectFile(root: string, path: string): ProjectFile {
  const text = readFileSync(join(root, path), 'utf8');
  const statements = [
    ...text.matchAll(/^(?:import|export)\b[^;]*?from\s+'([^']+)'|\bimport\('([^']+)'\)/gm),
  ].map((match) => ({ specifier: match[1] ?? match[2] ?? '', isType: /^\w+ type\b/.test(match[0]) }));
  const relatives = statements
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier, isType }) => ({
      imported: relative(root, resolve(root, dirname(path), specifier)),
      isType,
    }));
  return {
    path,
    text,
    specifiers: statements.map(({ specifier }) => specifier),
    imports: relatives.map(({ imported }) => imported),
    valueImports: relatives.filter(({ isType }) => !isType).map(({ imported }) => imported),
  };
}

/** The names that a file defines and exports, of these kinds; what is only passed on is not defined there. */
export function exportedNames(
  { text }: ProjectFile,
  kinds = /function\*?|const|let|class|interface|type/,
): readonly string[] {
  const definition = new RegExp(`^export\\s+(?:async\\s+)?(?:${kinds.source})\\s+([A-Za-z_$][\\w$]*)`, 'gm');
  return [...text.matchAll(definition)].map((match) => match[1] ?? '');
}

/** The values (functions, constants, classes) that a file exports and that no other file names. */
export function unusedExports(
  files: readonly ProjectFile[],
  users: readonly ProjectFile[],
): readonly string[] {
  const words = new Map(users.map(({ path, text }) => [path, new Set(text.match(/[A-Za-z_$][\w$]*/g))]));
  const isUsed = (name: string, home: string) =>
    words.entries().some(([path, known]) => path !== home && known.has(name));
  return files.flatMap((file) =>
    exportedNames(file, /function\*?|const|class/)
      .filter((name) => !isUsed(name, file.path))
      .map((name) => `${file.path}: ${name}`),
  );
}

/** Groups of files that import each other, by types alone too (Tarjan's strongly connected components). */
export function importCircles(files: readonly ProjectFile[]): readonly (readonly string[])[] {
  const imports = new Map(files.map((file) => [file.path, file.imports]));
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): number => {
    const number = numbers.size;
    numbers.set(path, number);
    lowest.set(path, number);
    stack.push(path);
    for (const next of imports.get(path) ?? []) {
      if (!imports.has(next)) continue;
      const seen = numbers.get(next);
      const low = seen === undefined ? visit(next) : stack.includes(next) ? seen : number;
      lowest.set(path, Math.min(lowest.get(path) ?? number, low));
    }
    if (lowest.get(path) === number) {
      const group = stack.splice(stack.indexOf(path));
      if (group.length > 1) circles.push(group.toSorted());
    }
    return lowest.get(path) ?? number;
  };
  for (const { path } of files) if (!numbers.has(path)) visit(path);
  return circles;
}
