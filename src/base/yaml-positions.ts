import { type Document, isNode, type LineCounter } from 'yaml';
import { stepsOf } from './json-pointer.ts';
import type { Position } from './json-positions.ts';

/** The place of an offset in a YAML text. */
export function yamlPosition(offset: number | undefined, lines: LineCounter): Position {
  const { line, col } = lines.linePos(offset ?? 0);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

/**
 * Where the value of a JSON pointer stands in a YAML document; the place of the nearest thing around it when it is not
 * there. Undefined for the root.
 */
export function yamlPositionOf(
  pointer: string,
  document: Document,
  lines: LineCounter,
): Position | undefined {
  const path = stepsOf(pointer).map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return yamlPosition(node.range[0], lines);
  }
  return undefined;
}
