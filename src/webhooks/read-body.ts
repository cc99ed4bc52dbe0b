import type { IncomingMessage } from 'node:http';

/** A media buy with hundreds of packages has some hundred KiB. */
export const MAX_WEBHOOK_BYTES = 1_048_576;

/** The bytes of a request's body. What is announced as too large is not read at all. */
export async function readBody(request: IncomingMessage): Promise<Uint8Array | 'too_large' | 'broken'> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_WEBHOOK_BYTES) return 'too_large';
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // leaving the loop must not destroy the request: its answer still has to be written
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_WEBHOOK_BYTES) return 'too_large';
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch {
    return 'broken';
  }
}
