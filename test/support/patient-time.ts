import { onTestFinished, vi } from 'vitest';

/** What passes at most between two rounds of the event loop. */
const ROUND_MS = 5;

/**
 * From here to the end of the test no time passes in which this process does not run: a machine that stalls brings no
 * deadline nearer. Holds for timers and signals that begin from now on and for `performance.now`, for what the product
 * awaits as well; not for `Date` and `node:timers/promises`. `block` is such a stall that is not forgiven.
 */
export function patientTime(): { block(ms: number): void } {
  const { block, end } = beginPatientTime();
  onTestFinished(end);
  return { block };
}

/** The same for several tests; whoever begins it ends it. */
export function beginPatientTime() {
  const { setTimeout: later, setInterval: often } = globalThis;
  const real = performance.now.bind(performance);
  let now = real();
  let read = () => now;
  const rounds = often(() => (now += ROUND_MS), ROUND_MS);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => read());
  /** A timer of Node that begins anew until its time is over. */
  const countDown = (ms: number, ended: () => void): NodeJS.Timeout => {
    let end = read() + ms;
    const timer = later(round, Math.min(ms, ROUND_MS));
    const again = timer.refresh.bind(timer);
    function round(): void {
      if (read() < end) again();
      else ended();
    }
    timer.refresh = () => {
      end = read() + ms;
      return again();
    };
    return timer;
  };
  const setTimeout = (work: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    countDown(ms, () => work(...args));
  const setInterval = (work: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    const timer = countDown(ms, () => {
      timer.refresh();
      work(...args);
    });
    return timer;
  };
  Object.assign(globalThis, {
    setTimeout: Object.assign(setTimeout, later),
    setInterval: Object.assign(setInterval, often),
  });
  const signals = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController();
    countDown(ms, () => controller.abort(new DOMException('timeout', 'TimeoutError'))).unref();
    return controller.signal;
  });
  return {
    block(ms: number) {
      now += ms;
    },
    end() {
      Object.assign(globalThis, { setTimeout: later, setInterval: often });
      clearInterval(rounds);
      const behind = real() - now;
      read = () => real() - behind; // for what is left of its timers
      signals.mockRestore();
      clock.mockRestore();
    },
  };
}
