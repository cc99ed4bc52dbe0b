import type { HealthAnswer } from '../../../api/render/health-history.ts';
import { counted } from '../../output/print.ts';

/** What a day looks like from this uptime on, the best first. */
const MARKS: readonly (readonly [number, string])[] = [
  [1, '█'],
  [0.99, '▇'],
  [0.9, '▅'],
  [Number.MIN_VALUE, '▂'],
  [0, '×'],
];
const LEGEND = '█ up  ▇ 99 %  ▅ 90 %  ▂ less  × down  · not seen';

/** A character for each day, oldest first, and the same in words. */
export function healthStrip({ days, incidents, ...whole }: HealthAnswer): readonly string[] {
  const { uptime, latency_ms: latency, probes, answered } = whole;
  const marks = days.map((day) => markOf(day.uptime)).join('');
  if (uptime === null) return [`    ${marks}  not probed as planned in this time`];
  const speed = latency === null ? '' : `; p50 ${latency.p50} ms, p95 ${latency.p95}, p99 ${latency.p99}`;
  const [last] = incidents;
  const more = whole.incidents_truncated ? 'more than ' : '';
  const told =
    last === undefined
      ? 'no incident'
      : `${more}${counted(incidents.length, 'incident')}, the last from ${last.from} to ${last.until ?? 'now'}: ${last.message ?? 'it was not there'}`;
  return [
    `    ${marks}  ${LEGEND}`,
    `    up ${percent(uptime)} of the time; ${answered} of ${counted(probes, 'probe')} answered${speed}`,
    `    ${told}`,
    ...(whole.probes_truncated ? ['    there were too many probes; older ones are not in it'] : []),
  ];
}

function markOf(uptime: number | null): string {
  return MARKS.find(([from]) => uptime !== null && uptime >= from)?.[1] ?? '·';
}

function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100} %`;
}
