import { styleText } from 'node:util';
import { harmless } from './visible.ts';

/** Data goes to stdout, and nothing else does. What a terminal could obey in the texts of strangers is escaped. */
export function printJson(value: unknown): void {
  printLine(JSON.stringify(value, null, 2));
}

/** Escapes what a terminal could obey; in JSON it stands for the same. */
export function printLine(line = ''): void {
  process.stdout.write(`${harmless(line)}\n`);
}

/** News for the person at the terminal, on stderr. */
export function note(line: string): void {
  process.stderr.write(`${harmless(line)}\n`);
}

type Style = Parameters<typeof styleText>[0];

/** Coloured where stdout shows colours. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/** A table of plain columns, as wide as their widest cell; the last one runs on. */
export function table(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === columns - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** `1 agent`, `2 agents`, `1 property`, `2 properties`. */
export function counted(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${/[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}

/** `1 agent`, `4,120 agents`. */
export function countedAgents(count: number): string {
  return `${count.toLocaleString('en-GB')} agent${count === 1 ? '' : 's'}`;
}

/** A duration for people: 640 ms, 12.3 s, 4 min 10 s. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}
