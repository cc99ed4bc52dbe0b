import { type JSONVisitor, visit } from 'jsonc-parser';
import { pointerTo, stepsOf } from './json.ts';

/** A place in a text, both 1-based; columns count UTF-16 units, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A tree of the pointers that are looked for, so that the rest of the document is passed over. */
interface Wanted {
  pointer?: string;
  readonly steps: Map<string, Wanted>;
}

const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

/**
 * Where the values of some JSON pointers (RFC 6901) stand in a text that JSON.parse accepts. A pointer to
 * something that is not there gets the place of its nearest container. Of repeated keys the last one counts.
 */
export function positionsOf(text: string, pointers: Iterable<string>): ReadonlyMap<string, Position> {
  const asked = [...new Set(pointers)];
  const found = new Map<string, Position>();
  visit(text, positionVisitor(wantedTree(asked), found), STRICT);
  const positions = new Map<string, Position>();
  for (const pointer of asked) {
    const position = nearest(found, pointer);
    if (position !== undefined) positions.set(pointer, position);
  }
  return positions;
}

function positionVisitor(root: Wanted, found: Map<string, Position>): JSONVisitor {
  // A container that is passed over stands here too, for its end is reported all the same.
  const stack: { readonly wanted: Wanted | undefined; index: number }[] = [];
  let next: Wanted | undefined = root; // what is wanted of the value that comes next
  const meet = (line: number, character: number): void => {
    const pointer = next?.pointer;
    if (pointer !== undefined) found.set(pointer, { line: line + 1, column: character + 1 });
  };
  const open = (line: number, character: number, index: number): boolean => {
    meet(line, character);
    stack.push({ wanted: next, index });
    const isWanted = next !== undefined;
    next = index < 0 ? undefined : next?.steps.get('0');
    return isWanted;
  };
  return {
    onObjectBegin: (_offset, _length, line, character) => open(line, character, -1),
    onArrayBegin: (_offset, _length, line, character) => open(line, character, 0),
    onObjectProperty: (property) => {
      next = stack.at(-1)?.wanted?.steps.get(property);
    },
    onLiteralValue: (_value, _offset, _length, line, character) => meet(line, character),
    onSeparator: (separator) => {
      const top = stack.at(-1);
      if (separator !== ',' || top === undefined || top.index < 0) return;
      top.index += 1;
      next = top.wanted?.steps.get(String(top.index));
    },
    onObjectEnd: () => void stack.pop(),
    onArrayEnd: () => void stack.pop(),
  };
}

function wantedTree(pointers: readonly string[]): Wanted {
  const root: Wanted = { pointer: '', steps: new Map() };
  for (const pointer of pointers) {
    let [node, path] = [root, ''];
    for (const name of stepsOf(pointer)) {
      path = pointerTo(path, name);
      const below: Wanted = node.steps.get(name) ?? { pointer: path, steps: new Map() };
      node.steps.set(name, below);
      node = below;
    }
  }
  return root;
}

function nearest(found: ReadonlyMap<string, Position>, pointer: string): Position | undefined {
  for (let path = pointer; path !== ''; path = path.slice(0, path.lastIndexOf('/'))) {
    const position = found.get(path);
    if (position !== undefined) return position;
  }
  return found.get('');
}
