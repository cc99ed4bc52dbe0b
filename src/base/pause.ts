/** Waits for so many milliseconds, or until the signal. The wait keeps no process alive when it is `unref`. */
export function pause(
  ms: number,
  signal?: AbortSignal,
  { unref = false }: { readonly unref?: boolean } = {},
): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (unref) timer.unref();
    signal?.addEventListener('abort', end, { once: true });
  });
}
