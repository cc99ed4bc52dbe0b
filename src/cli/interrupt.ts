/** A terminal, npm and the launcher may each pass one Ctrl-C on; what comes so soon after is the same one. */
const SAME_INTERRUPT_MS = 1_000;
/** Shows the cursor and wraps lines again: a progress bar may have changed both. */
const RESTORE_TERMINAL = '\u001b[?25h\u001b[?7h';

/** Fires on the first SIGINT or SIGTERM; a later, second one ends the process at once. */
export function onInterrupt(): {
  readonly signal: AbortSignal;
  readonly cause: () => NodeJS.Signals | undefined;
  dispose(): void;
} {
  const controller = new AbortController();
  let cause: NodeJS.Signals | undefined;
  let firstAt = 0;
  const stop = (name: NodeJS.Signals) => {
    if (cause === undefined) {
      cause = name;
      firstAt = performance.now();
      controller.abort();
    } else if (performance.now() - firstAt > SAME_INTERRUPT_MS) {
      if (process.stderr.isTTY) process.stderr.write(RESTORE_TERMINAL);
      process.exit(130);
    }
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    signal: controller.signal,
    cause: () => cause,
    dispose() {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}

/** Resolves with the signal, which may have come already. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
