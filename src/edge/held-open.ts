import type { ServerResponse } from 'node:http';

const HELD = Symbol('held open');

/**
 * Says of an answer that it goes on for as long as its reader wants. It is none of the requests under way any more, and is
 * nobody's turn. What it may take is bounded by whoever writes it; it is cut after `silentMs` without a byte in either
 * direction, and, as every other, when its reader takes too long for what was written. Whoever says that nothing more comes
 * has left: there is no end to wait for.
 */
export function holdOpen(response: ServerResponse, silentMs: number): void {
  const { socket } = response;
  socket?.setTimeout(silentMs);
  if (socket?.readableEnded) response.destroy();
  else socket?.once('end', () => response.destroy());
  response.emit(HELD);
}

/** Calls once: when the answer is over, or is held open. */
export function onceAnswered(response: ServerResponse, then: () => void): void {
  const once = () => {
    response.off('close', once).off(HELD, once);
    then();
  };
  response.once('close', once).once(HELD, once);
}
