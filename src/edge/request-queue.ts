import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Refusal } from './request-form.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What is done on one connection. */
interface Queue {
  isBusy: boolean;
  isFull: boolean;
  readonly waiting: Exchange[];
}

/**
 * Requests in the order of their connection, one at a time: the next is begun when the answer before it has been taken by
 * the system. Node begins all that a packet holds, so that a reader who never reads would have sixty answers made.
 */
export function createQueues(
  most: number,
  answer: RequestListener,
  refuse: (refusal: Refusal, request: IncomingMessage, response: ServerResponse) => void,
): { readonly add: RequestListener } {
  const queues = new WeakMap<Socket, Queue>();

  function add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const queue = queues.get(socket) ?? { isBusy: false, isFull: false, waiting: [] };
    queues.set(socket, queue);
    if (queue.isFull) return; // the connection ends after the refusal before it
    if (!queue.isBusy) begin(queue, { request, response });
    else if (queue.waiting.length < most) queue.waiting.push({ request, response });
    else {
      queue.isFull = true;
      refuse(tooMany(most), request, response);
    }
  }

  function begin(queue: Queue, { request, response }: Exchange): void {
    queue.isBusy = true;
    const { socket } = request; // Node takes it from a request whose body was not read to its end
    response.once('close', () => next(queue, socket));
    answer(request, response);
  }

  function next(queue: Queue, socket: Socket): void {
    queue.isBusy = false;
    if (socket.destroyed) queue.waiting.length = 0;
    const exchange = queue.waiting.shift();
    if (exchange !== undefined) begin(queue, exchange);
  }

  return { add };
}

function tooMany(most: number): Refusal {
  return {
    status: 429,
    code: 'rate_limited',
    detail: `more than ${most} requests are waiting on this connection; wait for a response before sending the next`,
    retryAfter: 1,
  };
}
