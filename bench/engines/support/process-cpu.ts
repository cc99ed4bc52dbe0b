import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second everywhere. */
const TICK_MS = 10;

interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly cpuMs: number;
}

/** User and system time of processes with all that they started, those that have ended included, milliseconds. */
export function cpuMsOf(...pids: readonly number[]): number {
  const rows = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => rowOf(Number(name)) ?? []);
  const children = Map.groupBy(rows, (row) => row.parent);
  const family = rows.filter((row) => pids.includes(row.pid));
  for (const member of family) family.push(...(children.get(member.pid) ?? []));
  return family.reduce((total, { cpuMs }) => total + cpuMs, 0);
}

/** `/proc/PID/stat` after the name: state, parent, and from the 12th on its own two times and its ended children's. */
function rowOf(pid: number): Row | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0);
    return { pid, parent: Number(fields[1]), cpuMs: ticks * TICK_MS };
  } catch {
    return undefined; // it ended between the listing and the reading
  }
}
