import { Gauge, type Registry } from 'prom-client';
import type { RecordsClock } from '../ports/clock.ts';
import type { Logger } from './log.ts';

/** A clock that is off by less is not reported, milliseconds. */
const SKEW_MS = 5_000;
/** A clock that is behind the time seen by less was corrected, milliseconds. */
const BEHIND_MS = 60_000;

/** What is wrong with the time, and what to do. */
export interface ClockFault {
  readonly message: string;
  readonly hint: string;
}

/** Metric of the clock skew, computed on each scrape. */
export interface ClockMetrics {
  clock(read: RecordsClock['skewMs']): void;
}

/** Makes it in the registry of the process. */
export function clockMetrics(registry: Registry): ClockMetrics {
  let read = () => 0;
  new Gauge({
    name: 'registry_clock_skew_seconds',
    help: 'How far the clock of this machine is ahead of the clock of the records, which schedules use.',
    registers: [registry],
    collect() {
      this.set(read() / 1_000);
    },
  });
  return {
    clock(given) {
      read = given;
    },
  };
}

/** Shows the skew in the metrics, and warns at the start of a process when the time is wrong. */
export function reportClock(clock: RecordsClock, log: Pick<Logger, 'warn'>, metrics: ClockMetrics): void {
  metrics.clock(clock.skewMs);
  const fault = clockFault(clock);
  if (fault !== undefined) log.warn({ hint: fault.hint }, fault.message);
}

/** What is wrong with the time; undefined when nothing is. */
export function clockFault(clock: Omit<RecordsClock, 'confirm'>): ClockFault | undefined {
  const aheadMs = clock.now() - clock.settled();
  const confirm =
    'if the time is wrong, correct the clock; if it is right, run "agent-registry doctor --confirm-clock"';
  if (aheadMs > 0)
    return {
      message: `the clock is ${span(aheadMs)} ahead of the last time stored in the records. Pruning and badge revocation are paused`,
      hint: confirm,
    };
  if (-aheadMs > BEHIND_MS)
    return {
      message: `the clock is ${span(-aheadMs)} behind the last time stored in the records`,
      hint: confirm,
    };
  const skewMs = clock.skewMs();
  if (Math.abs(skewMs) < SKEW_MS) return undefined;
  const side = skewMs > 0 ? 'ahead of' : 'behind';
  return {
    message: `the clock of this machine is ${span(Math.abs(skewMs))} ${side} the clock of the records, which schedules use`,
    hint: 'synchronize the clock of this machine with chrony or systemd-timesyncd',
  };
}

const UNITS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
] as const;

function span(ms: number): string {
  const [unit, size] = UNITS.find(([, length]) => ms >= 2 * length) ?? ['seconds', 1_000];
  return `${Math.round(ms / size)} ${unit}`;
}
