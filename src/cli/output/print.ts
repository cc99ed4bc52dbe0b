import { stripVTControlCharacters, styleText } from 'node:util';
import { textWidth } from '../../base/text-width.ts';
import type { Finding } from '../../domain/finding.ts';
import { harmless, visible } from './visible.ts';

/** Data goes to stdout, and nothing else does. What a terminal could obey in the texts of strangers is escaped. */
export function printJson(value: unknown): void {
  printLine(JSON.stringify(value, null, 2));
}

/** Escapes terminal control characters; the result is equivalent JSON. */
export function printLine(line = ''): void {
  process.stdout.write(`${harmless(line)}\n`);
}

/** Lines as they go into a file: harmless as on a terminal, and without colours. */
export function plainText(lines: readonly string[]): string {
  return harmless(stripVTControlCharacters(lines.join('\n')));
}

/** News for the person at the terminal, on stderr. */
export function note(line: string): void {
  process.stderr.write(`${harmless(line)}\n`);
}

/** What is useful to do now, on stderr, behind what a command that changed something says. */
export function nextCommands(commands: readonly string[]): void {
  for (const [at, line] of commands.entries()) note(`${at === 0 ? 'next:' : '     '} agent-registry ${line}`);
}

type Style = Parameters<typeof styleText>[0];

/** Coloured where stdout shows colours. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/** A table of plain columns, as wide as their widest cell; the last one runs on. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = widthsOf(rows);
  const padded = (cell: string, column: number) =>
    column === widths.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - textWidth(cell));
  return rows.map((row) => row.map(padded).join(GAP).trimEnd()).join('\n');
}

const GAP = '  ';

function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => textWidth(row[column] ?? ''))),
  );
}

/**
 * The lines of a list for people, the first with the headings. The last column ends with … at the edge of a terminal. All columns
 * before it are whole, because a name or an id is wanted for the next command: on a screen that has no room for them a line takes
 * as many rows as they need. A file, a pipe and --json have everything. A screen that does not say how wide it is has 0 columns.
 */
export function listTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  screen: { readonly isTTY?: boolean; readonly columns?: number } = process.stdout,
): readonly [head: string, ...lines: string[]] {
  const all = [headings, ...rows];
  const columns = (screen.isTTY === true && screen.columns) || Infinity;
  const whole = widthsOf(all).slice(0, -1);
  const needed = whole.reduce((sum, width) => sum + width + GAP.length, 1);
  const room = columns === Infinity ? columns : Math.ceil(needed / columns) * columns;
  const [head = '', ...lines] = table(all)
    .split('\n')
    .map((line) => cut(line, room));
  return [paint('dim', head), ...lines];
}

function cut(line: string, width: number): string {
  if (textWidth(line) <= width) return line;
  let kept = line.slice(0, width - 1);
  while (kept !== '' && textWidth(kept) > width - 1) kept = kept.slice(0, -1);
  return `${kept.toWellFormed()}…`;
}

/** `1 agent`, `2 agents`, `1 property`, `2 properties`. */
export function counted(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${/[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}

/** At most 20 labels in one line. */
export function shortList(labels: readonly string[]): string {
  const shown = labels.slice(0, 20).join(', ');
  return labels.length > 20 ? `${shown}, …` : shown;
}

/** `1 agent`, `4,120 agents`. */
export function countedAgents(count: number): string {
  return `${count.toLocaleString('en-GB')} agent${count === 1 ? '' : 's'}`;
}

/** What a display of progress ends with: the rate of work since it began, and when the rest is done at this rate. */
export function pace(done: number, tookMs: number, left: number): string {
  const rate = tookMs > 0 ? (done / tookMs) * 1_000 : 0;
  if (rate === 0) return '';
  const end = left > 0 ? `, about ${wholeSeconds(left / rate)} left` : '';
  return `, ${rate < 10 ? rate.toFixed(1) : Math.round(rate).toLocaleString('en-GB')} a second${end}`;
}

/** A guess is no more exact than that. */
function wholeSeconds(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  return whole < 60 ? `${whole} s` : duration(whole * 1_000);
}

/** A duration for people: 640 ms, 12.3 s, 4 min 10 s, 2 h 5 min. It is rounded before it is parted, so that 60 s are a minute. */
export function duration(ms: number): string {
  if (Math.round(ms) < 1_000) return `${Math.round(ms)} ms`;
  if (Math.round(ms / 100) < 600) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return parted(seconds, ['min', 's']);
  return parted(Math.round(seconds / 60), ['h', 'min']);
}

function parted(amount: number, [large, small]: readonly [string, string]): string {
  const rest = amount % 60;
  return `${Math.floor(amount / 60)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}

/** Findings about an agent, a paragraph each: where, what, and what to do. Names in a place are strangers'. */
export function printFindings(findings: readonly Finding[], indent = '  '): void {
  for (const { severity, code, pointer, line, column, message, hint } of findings) {
    const place = line === undefined ? pointer : `${line}:${column ?? 1} ${pointer}`.trimEnd();
    const label = severity === 'error' ? paint('red', 'error') : paint('yellow', 'warning');
    printLine(
      `${indent}${label} ${place === '' ? '' : `${visible(place)}  `}${visible(message)}  ${paint('dim', code)}`,
    );
    if (hint !== undefined) printLine(`${indent}  hint: ${visible(hint)}`);
  }
}
