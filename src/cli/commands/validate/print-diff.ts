import { structuredPatch } from 'diff';
import { paint, printLine } from '../../output/print.ts';
import { visible } from '../../output/visible.ts';

const MAX_LINES = 400;
const MAX_WIDTH = 400;
/** Above it a comparison costs more than it shows. */
const MAX_CHANGED = 2_000;

/** Shows what a repair changes, line by line, bounded. */
export function printDiff(target: string, before: string, after: string, isWritten: boolean): void {
  const patch = structuredPatch(target, target, before, after, '', '', {
    context: 2,
    maxEditLength: MAX_CHANGED,
  });
  printLine(`${paint('bold', target)}  ${isWritten ? 'was repaired' : 'can be repaired'}`);
  const lines = (patch?.hunks ?? []).flatMap(({ oldStart, newStart, lines: changed }) => [
    paint('cyan', `@@ -${oldStart} +${newStart} @@`),
    ...changed.filter((line) => !line.startsWith('\\')).map(painted),
  ]);
  for (const line of lines.slice(0, MAX_LINES)) printLine(`  ${line}`);
  if (patch === undefined) printLine('  so many lines change that they are not shown');
  else if (lines.length > MAX_LINES) printLine(`  … and ${lines.length - MAX_LINES} more lines`);
  printLine();
}

function painted(line: string): string {
  const text = visible(line.slice(0, MAX_WIDTH)) + (line.length > MAX_WIDTH ? '…' : '');
  if (line.startsWith('+')) return paint('green', text);
  return line.startsWith('-') ? paint('red', text) : text;
}
