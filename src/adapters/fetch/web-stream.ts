import type { Readable } from 'node:stream';

/**
 * A web stream over a Node one, with backpressure. Data that is still on its way when the reader cancels is dropped:
 * `Readable.toWeb` throws there, outside of any call of ours, and takes the process with it.
 */
export function webStream(body: Readable): ReadableStream<Uint8Array> {
  let open = true;
  const once = (settle: () => void) => () => {
    if (open) settle();
    open = false;
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        body.on('data', (chunk: Buffer) => {
          if (!open) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) body.pause();
        });
        body.on(
          'end',
          once(() => controller.close()),
        );
        body.on('error', (error) => once(() => controller.error(error))());
        body.pause();
      },
      pull() {
        body.resume();
      },
      cancel() {
        open = false;
        body.destroy();
      },
    },
    { highWaterMark: 1 },
  );
}
