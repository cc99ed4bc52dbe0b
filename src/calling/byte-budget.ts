/** How many bytes may still be read; shared by all answers that one bound covers. */
export interface ByteBudget {
  left: number;
}

export interface Listener {
  /** Is shown each chunk; the body breaks off with the error that it gives back. */
  hear(chunk: Uint8Array): Error | undefined;
  /** Is told why the body broke off underneath. */
  sawError(error: unknown): void;
}

/**
 * The same response with a listener to its body as it comes. A stream that outlives its call (HTTP+SSE) can so be
 * counted against the call it answers, and the reason of a broken one is known however an SDK wraps it.
 */
export function overheard(response: Response, listener: Listener): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        const excess = listener.hear(value);
        if (excess === undefined) return controller.enqueue(value);
        controller.error(excess);
        await reader.cancel(excess);
      } catch (error) {
        listener.sawError(error);
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
