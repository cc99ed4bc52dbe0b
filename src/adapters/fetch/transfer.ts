import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Line } from './lines.ts';

export interface Outgoing {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body?: Uint8Array;
}

/** What is done with an answer. `head` and `data` may throw: the transfer then ends with that error. */
export interface Receiver {
  head(status: number, headers: IncomingHttpHeaders, statusText: string): void;
  data(chunk: Buffer): void;
  end(): void;
  /** Called once at most, and never after `end`. */
  fail(error: unknown): void;
}

/** One request on one line: undici's handler, reduced to a receiver, that can be aborted at any time. */
export class Transfer implements Dispatcher.DispatchHandler {
  readonly #receiver: Receiver;
  readonly #line: Line;
  readonly #settled: (transfer: Transfer) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;
  #done = false;

  /** @param settled called exactly once, when the line is free again */
  constructor(line: Line, receiver: Receiver, settled: (transfer: Transfer) => void) {
    this.#line = line;
    this.#receiver = receiver;
    this.#settled = settled;
  }

  send(request: Outgoing): void {
    const { method, path, headers, body } = request;
    try {
      this.#line.client.dispatch(
        { method: method as Dispatcher.HttpMethod, path, headers: headers as string[], body: body ?? null },
        this,
      );
    } catch (error) {
      this.#fail(error);
    }
  }

  abort(error: Error): void {
    if (this.#done) return;
    this.#aborted = error;
    this.#controller?.abort(error);
    this.#fail(error);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted !== undefined) controller.abort(this.#aborted);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusText = '',
  ): void {
    if (status < 200 || this.#done) return;
    this.#line.answered += 1;
    this.#receiver.head(status, headers, statusText);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#done) this.#receiver.data(chunk);
  }

  onResponseEnd(): void {
    if (this.#finish()) this.#receiver.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #fail(error: unknown): void {
    if (this.#finish()) this.#receiver.fail(error);
  }

  #finish(): boolean {
    if (this.#done) return false;
    this.#done = true;
    this.#settled(this);
    return true;
  }
}
