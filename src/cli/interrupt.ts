/** Fires on the first SIGINT or SIGTERM; a second one ends the process at once. */
export function onInterrupt(): {
  readonly signal: AbortSignal;
  readonly cause: () => NodeJS.Signals | undefined;
  dispose(): void;
} {
  const controller = new AbortController();
  let cause: NodeJS.Signals | undefined;
  const stop = (name: NodeJS.Signals) => {
    if (cause !== undefined) process.exit(130);
    cause = name;
    controller.abort();
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
