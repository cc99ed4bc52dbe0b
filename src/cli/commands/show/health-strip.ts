import type { HealthAnswer } from '../../../api/render/health-history.ts';
import { counted } from '../../output/print.ts';

/** The mark of a day with at least this uptime, the highest first. */
const MARKS: readonly (readonly [number, string])[] = [
  [1, '█'],
  [0.99, '▇'],
  [0.9, '▅'],
  [Number.MIN_VALUE, '▂'],
  [0, '×'],
];
const LEGEND = '█ 100%  ▇ 99%  ▅ 90%  ▂ less  × offline  · no data';

/** A mark for each day, oldest first, and the uptime. */
export function healthStrip({ days, incidents, ...whole }: HealthAnswer): readonly string[] {
  const { uptime, latency_ms: latency, probes, answered } = whole;
  const marks = days.map((day) => markOf(day.uptime)).join('');
  if (uptime === null) return [`    ${marks}  no checks in this period`];
  const speed = latency === null ? '' : `; p50 ${latency.p50} ms, p95 ${latency.p95}, p99 ${latency.p99}`;
  const [last] = incidents;
  const more = whole.incidents_truncated ? 'more than ' : '';
  const incidentText =
    last === undefined
      ? 'no incidents'
      : `${more}${counted(incidents.length, 'incident')}, the last one ${last.from} to ${last.until ?? 'now'}: ${last.message ?? 'offline'}`;
  return [
    `    ${marks}  ${LEGEND}`,
    `    uptime ${percent(uptime)} (${counted(probes, 'check')}, ${answered} answered)${speed}`,
    `    ${incidentText}`,
    ...(whole.probes_truncated ? ['    too many checks; older ones are not included'] : []),
  ];
}

function markOf(uptime: number | null): string {
  return MARKS.find(([from]) => uptime !== null && uptime >= from)?.[1] ?? '·';
}

function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100}%`;
}
