/** A terminal, npm and the launcher may each pass one Ctrl-C on; what comes so soon after is the same one. */
const SAME_INTERRUPT_MS = 1_000;
/** Shows the cursor and wraps lines again: a progress bar may have changed both. */
const RESTORE_TERMINAL = '\u001b[?25h\u001b[?7h';

/** Where the launcher names its process (bin/agent-registry.mjs). */
const LAUNCHER = 'AGENT_REGISTRY_LAUNCHER';
const PARENT_CHECK_MS = 250;

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

/**
 * npm passes a signal to its shell, which dies and passes nothing on; a launcher that is killed with SIGKILL cannot.
 * So whoever was started by one of them looks whether it is still there, and stops as by SIGTERM when it is not.
 */
export function endWithParent(): void {
  const launcher = process.env[LAUNCHER];
  delete process.env[LAUNCHER];
  if (launcher === undefined && process.env.npm_lifecycle_event === undefined) return;
  const parent = Number(launcher ?? process.ppid);
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}
