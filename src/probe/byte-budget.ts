/** How many bytes may still be read; shared by all answers that one bound covers. */
export interface ByteBudget {
  left: number;
}

/**
 * The same response, whose body breaks off when the budget that is in force at that moment is spent. A stream
 * that outlives its call (HTTP+SSE) is so counted against the call it answers.
 */
export function withinBudget(response: Response, spend: (bytes: number) => Error | undefined): Response {
  if (response.body === null) return response;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const excess = spend(chunk.byteLength);
        if (excess === undefined) controller.enqueue(chunk);
        else controller.error(excess);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
}
