import type { IncomingMessage } from 'node:http';

/** Longer than any request that follows its schema, so that what is wrong with it can be said in the protocol's words. */
const MAX_BYTES = 8 * 1_048_576;

/** The bytes of a request's body; undefined when there are too many. */
export async function readRequestBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
