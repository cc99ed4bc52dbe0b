import { Gauge, type Registry } from 'prom-client';
import type { ClockState, RecordsClock } from '../ports/clock.ts';
import type { Logger } from './log.ts';

/** A clock that is off by less is not worth a word, milliseconds. */
const SKEW_MS = 5_000;
/** Between two looks, milliseconds. */
const LOOK_MS = 60_000;

/** What is wrong with the time, in words, and what to do. */
export interface ClockFault {
  readonly message: string;
  readonly hint: string;
}

/** The metrics of the time; their values are read when somebody asks for them. */
export interface ClockMetrics {
  /** From now on the metrics show what this says. */
  clock(read: () => ClockState): void;
}

/** Makes them in the registry of the process. */
export function clockMetrics(registry: Registry): ClockMetrics {
  let read: () => ClockState = () => ({ skewMs: 0, jumpMs: 0 });
  const shown = (name: string, help: string, of: (state: ClockState) => number) =>
    new Gauge({
      ...{ name, help, registers: [registry] },
      collect() {
        this.set(of(read()) / 1_000);
      },
    });
  shown(
    'registry_clock_skew_seconds',
    'How far the clock of this machine is ahead of that of the records. No work goes by it.',
    ({ skewMs }) => skewMs,
  );
  shown(
    'registry_clock_jump_seconds',
    'How far the time is ahead of what was seen to pass; negative while it is behind, and for a day after it was put back.',
    ({ jumpMs }) => jumpMs,
  );
  return {
    clock(given) {
      read = given;
    },
  };
}

/** Shows the clock of the records in the metrics, and says in the log when it is off, once each time. */
export function reportClock(
  { state }: Pick<RecordsClock, 'state'>,
  log: Pick<Logger, 'warn'>,
  metrics: ClockMetrics,
): void {
  metrics.clock(state);
  let told: string | undefined;
  const look = () => {
    const now = state();
    const fault = clockFault(now);
    const kind = fault && `${Math.sign(now.jumpMs)}`;
    if (fault !== undefined && kind !== told) log.warn({ ...now, hint: fault.hint }, fault.message);
    told = kind;
  };
  look();
  setInterval(look, LOOK_MS).unref();
}

/** What is wrong with the time; undefined when nothing is. A jump goes before a skew: it concerns every machine. */
export function clockFault({ skewMs, jumpMs }: ClockState): ClockFault | undefined {
  if (jumpMs > 0)
    return {
      message: `the clock jumped ahead: it is ${span(jumpMs)} ahead of the time that was seen to pass. Nothing is pruned and no badge is revoked by it`,
      hint: 'if the time is wrong, set the clock; if it is right, run "agent-registry doctor --confirm-clock"',
    };
  if (jumpMs < 0)
    return {
      message: `the clock was put back by ${span(-jumpMs)}; what was planned further ahead is due now`,
      hint: 'if the time is wrong, set the clock; if it is right, "agent-registry doctor --confirm-clock" ends this message',
    };
  if (Math.abs(skewMs) < SKEW_MS) return undefined;
  const side = skewMs > 0 ? 'ahead of' : 'behind';
  return {
    message: `the clock of this machine is ${span(Math.abs(skewMs))} ${side} that of the records, which all work goes by`,
    hint: 'let chrony or systemd-timesyncd set the clock of this machine',
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
