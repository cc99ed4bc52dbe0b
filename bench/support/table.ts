export type Row = Readonly<Record<string, string | number>>;

/** Prints rows as a Markdown table, so that it can be kept as it is; numbers with at most three places. */
export function printTable(title: string, rows: readonly Row[]): void {
  const names = Object.keys(rows[0] ?? {});
  const cells = [names, ...rows.map((row) => names.map((name) => text(row[name] ?? '')))];
  const widths = names.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = cells;
  console.log(`\n### ${title}\n`);
  console.log(line(head));
  console.log(line(widths.map((width) => '-'.repeat(width))));
  for (const row of body) console.log(line(row));
}

function text(value: string | number): string {
  return typeof value === 'string' ? value : String(Math.round(value * 1_000) / 1_000);
}
