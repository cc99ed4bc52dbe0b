import type { Finding } from '../../domain/finding.ts';
import { paint, printLine } from './print.ts';
import { visible } from './visible.ts';

/** One finding a paragraph: where, what, and what to do. Names in a place are strangers'. */
export function printFindings(findings: readonly Finding[], indent = '  '): void {
  for (const { severity, code, pointer, line, column, message, hint } of findings) {
    const place = line === undefined ? pointer || 'the file' : `${line}:${column ?? 1} ${pointer}`.trimEnd();
    const label = severity === 'error' ? paint('red', 'error') : paint('yellow', 'warning');
    printLine(`${indent}${label} ${visible(place)}  ${visible(message)}  ${paint('dim', code)}`);
    if (hint !== undefined) printLine(`${indent}  hint: ${visible(hint)}`);
  }
}
