/**
 * Does some work again and again, one time after the other with a pause between, from now on until it is stopped or the
 * work rejects. `stop` resolves when no work is under way any more, and rejects with what the work rejected with.
 */
export function repeat(work: () => Promise<unknown>, pauseMs: number): { stop(): Promise<void> } {
  let running = true;
  let wake = () => {};
  const loop = (async () => {
    while (running) {
      await work();
      if (running)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, pauseMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
    }
  })();
  loop.catch(() => {}); // whoever stops it hears of the fault; until then it must not end the process
  return {
    async stop() {
      running = false;
      wake();
      await loop;
    },
  };
}
