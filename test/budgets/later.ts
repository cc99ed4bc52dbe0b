import { onTestFinished, vi } from 'vitest';

/** Moves the system's date ahead until the test ends: windows of budgets go by it. */
export function later(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
  onTestFinished(() => void vi.useRealTimers());
}
