import type { FileCheck } from '../../discovery/check-file.ts';
import { counted, paint, printJson, printLine } from './print.ts';
import { printFindings } from './print-findings.ts';

/** Prints what `validate` found; the JSON follows schemas/cli/validate.json. */
export function printCheck(target: string, checked: FileCheck, json: boolean): void {
  if (json) {
    const { valid, kind, variant, agents, findings, trail } = checked;
    printJson({ valid, kind, variant: variant ?? null, agents, findings, trail });
    return;
  }
  const { valid, kind, variant, agents, findings, trail } = checked;
  const verdict = valid ? paint('green', 'valid') : paint('red', 'not valid');
  printLine(
    `${paint('bold', target)}  ${kind}.json${variant === undefined ? '' : ` (${variant})`} is ${verdict}, ${counted(agents.length, 'agent')}`,
  );
  for (const { url, status, error } of trail) printLine(`  ${status ?? error}  ${url}`);
  for (const agent of agents.slice(0, 20)) printLine(`  agent  ${agent}`);
  if (agents.length > 20) printLine(`  … and ${agents.length - 20} more`);
  printFindings(findings);
}
