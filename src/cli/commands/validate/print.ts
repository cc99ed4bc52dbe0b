import { structuredPatch } from 'diff';
import type { CheckedFinding } from '../../../discovery/check/placed-findings.ts';
import type { FileSummary, SummarySeller } from '../../../discovery/check/summary.ts';
import { verdictInWords } from '../../../discovery/check/summary-words.ts';
import type { FileCheck } from '../../../discovery/check-file.ts';
import { limitsInWords } from '../../../domain/limits-in-words.ts';
import { counted, paint, printLine } from '../../output/print.ts';
import { visible } from '../../output/visible.ts';

const WIDTH = 80;
const TITLE = 'Authorized agents';
/** For people; --json has all. */
const MAX_SHOWN = 50;
/** Findings of one code that --fix repairs and that are shown with their lines; the others have one line each. */
const MOST_ALIKE = 3;

/** The verdict, each finding with its place, the authorized agents, and what to do next. */
export function printCheck(target: string, check: FileCheck): void {
  const { valid, kind, variant, findings, trail, summary, fixed, errorsLeft = 0 } = check;
  const verdict = valid ? 'valid' : 'not valid';
  const agents = verdictInWords(check).slice(verdict.length);
  const form = variant === undefined ? '' : ` (${variant})`;
  printLine(
    `${paint('bold', visible(target))}  ${kind}.json${form} is ${paint(valid ? 'green' : 'red', verdict)}${agents}`,
  );
  for (const { url, status, error } of trail) printLine(`  ${status ?? error}  ${url}`);
  const times = new Map<string, number>();
  for (const finding of findings.slice(0, MAX_SHOWN)) {
    const kind = `${finding.code} ${finding.fix === undefined ? '' : 'with a fix'}`;
    const time = (times.get(kind) ?? 0) + 1;
    times.set(kind, time);
    printFinding(finding, finding.fix !== undefined && time > MOST_ALIKE);
  }
  if (findings.length > MAX_SHOWN)
    printLine(`\n  … and ${findings.length - MAX_SHOWN} more; --json shows them`);
  if (variant === 'reference') printLine('\nThe file at authoritative_location lists the authorized agents.');
  else printSummary(summary, kind, valid);
  if (findings.length === 0) return;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const fixes = findings.filter(({ fix }) => fix !== undefined).length;
  printLine(`\n${counted(errors, 'error')}, ${counted(findings.length - errors, 'warning')}`);
  if (fixed !== undefined && fixes > 0)
    printLine(
      `--fix applies ${fixes === 1 ? '1 safe fix' : `${fixes} safe fixes`}; ${remaining(errorsLeft)}. --fix --dry-run shows the changes.`,
    );
}

function remaining(errors: number): string {
  if (errors === 0) return 'no errors remain';
  return `${counted(errors, 'error')} ${errors === 1 ? 'remains' : 'remain'}`;
}

function printFinding(
  { severity, code, pointer, line, column, message, hint, frame, allowed, didYouMean, fix }: CheckedFinding,
  isShort: boolean,
): void {
  const place = line === undefined ? pointer || 'the file' : `${line}:${column ?? 1} ${pointer}`.trimEnd();
  const label = severity === 'error' ? paint('red', 'error') : paint('yellow', 'warning');
  const [first = '', ...more] = wrapped(`${severity} ${visible(place)}  ${visible(message)}`, '  ');
  if (!isShort) printLine();
  printLine(
    `  ${label}${first.slice(severity.length + 2)}${more.length === 0 ? `  ${paint('dim', code)}` : ''}`,
  );
  for (const [index, text] of more.entries())
    printLine(index === more.length - 1 ? `${text}  ${paint('dim', code)}` : text);
  if (isShort) return;
  for (const text of frame?.split('\n') ?? [])
    printLine(`    ${text.startsWith('>') ? text : paint('dim', text)}`);
  const say = (label: string, text: string): void => {
    for (const part of wrapped(`${label}: ${visible(text)}`, '    ')) printLine(part);
  };
  if (allowed !== undefined) say('allowed', allowed.slice(0, MAX_SHOWN).join(', '));
  if (didYouMean !== undefined && fix === undefined && !message.includes('did you mean'))
    printLine(`    did you mean \`${visible(didYouMean)}\`?`);
  if (fix !== undefined) say('fix', `${fix.title} (--fix)`);
  if (hint !== undefined && fix === undefined) say('hint', hint);
}

function printSummary(
  { basis, publishers, outOfTime, withoutEffect, agents, more }: FileSummary,
  kind: string,
  valid: boolean,
): void {
  if (kind === 'brand') {
    if (agents.length > 0) printLine(`\nAgents in the file${valid ? '' : ' (invalid entries are ignored)'}:`);
    for (const { agent, type } of agents) printLine(`  ${visible(agent)}  ${type}`);
    if (more > 0) printLine(`  … and ${more} more`);
    return;
  }
  if (publishers.length === 0) return;
  const [head = '', ...others] = wrapped(`${TITLE} (${basis}):`, '');
  printLine(`\n${paint('bold', head.slice(0, TITLE.length))}${head.slice(TITLE.length)}`);
  for (const part of others) printLine(part);
  for (const { publisher, onlyIf, sellers, revoked } of publishers) {
    const condition = onlyIf === undefined ? '' : `, ${onlyIf}`;
    printLine(`  for ${publisher ?? 'the domain that publishes the file'}${condition}:`);
    if (revoked) printLine('    none: revoked_publisher_domains lists this domain');
    else if (sellers.length === 0) printLine('    none');
    const told = new Set<string>();
    for (const seller of sellers) printSeller(seller, told);
  }
  for (const { agent, entry, limits } of outOfTime)
    for (const part of wrapped(
      `not in force today: ${visible(agent)} (${entry}), valid ${limitsInWords(limits)}`,
      '  ',
    ))
      printLine(part);
  if (withoutEffect.length > 0) printLine(`  ignored: ${withoutEffect.join(', ')}`);
  if (more > 0) printLine(`  … and ${more} more`);
}

/** `told` are the reasons that were printed for the sellers before it. */
function printSeller({ agent, sells, limits, lenient }: SummarySeller, told: Set<string>): void {
  printLine(`    ${visible(agent)}`);
  const words = limitsInWords(limits);
  for (const part of wrapped(visible(words === '' ? sells : `${sells}; ${words}`), '      ')) printLine(part);
  if (lenient === undefined) return;
  const but = told.has(lenient) ? 'but see above' : `but ${lenient}`;
  told.add(lenient);
  for (const part of wrapped(but, '      ')) printLine(part);
}

/** Lines of at most 80 columns, broken at spaces; a longer word stays whole. */
function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > WIDTH) {
      lines.push(indent + line);
      line = `  ${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, indent + line];
}

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
  printLine(`${paint('bold', target)}  ${isWritten ? 'fixed' : 'can be fixed'}`);
  const lines = (patch?.hunks ?? []).flatMap(({ oldStart, newStart, lines: changed }) => [
    paint('cyan', `@@ -${oldStart} +${newStart} @@`),
    ...changed.filter((line) => !line.startsWith('\\')).map(painted),
  ]);
  for (const line of lines.slice(0, MAX_LINES)) printLine(`  ${line}`);
  if (patch === undefined) printLine('  too many changed lines to show');
  else if (lines.length > MAX_LINES) printLine(`  … and ${lines.length - MAX_LINES} more lines`);
  printLine();
}

function painted(line: string): string {
  const text = visible(line.slice(0, MAX_WIDTH)) + (line.length > MAX_WIDTH ? '…' : '');
  if (line.startsWith('+')) return paint('green', text);
  return line.startsWith('-') ? paint('red', text) : text;
}
