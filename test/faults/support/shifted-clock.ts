/**
 * Loaded before a command (`--import`): the machine's clock is as many milliseconds ahead as FAULT_CLOCK_SHIFT_MS says.
 * The clock that nobody sets (`performance.now`) goes on as it is.
 */
const shiftMs = Number(process.env.FAULT_CLOCK_SHIFT_MS ?? 0);
const Real = Date;

class Shifted extends Real {
  constructor(...given: [] | [value: string | number | Date]) {
    super(...((given.length === 0 ? [Real.now() + shiftMs] : given) as [number]));
  }
  static override now(): number {
    return Real.now() + shiftMs;
  }
}

globalThis.Date = Shifted as DateConstructor;
