import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** What a client of the field is told to call. */
export interface Order {
  readonly agent: { readonly url: string; readonly protocol: 'mcp' | 'a2a'; readonly token?: string };
  readonly task: string;
  readonly request: object;
  /** By the Python client's newest calls, which turn an answer of the line 3.0 into a later one's. */
  readonly canonical?: boolean;
}

/** What it made of the answer: its own validation stands between the agent and `ok`. */
export interface Reply {
  readonly ok: boolean;
  /** The answer as the client hands it to its user. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The agent's code, when the client found one. */
  readonly code?: string | null;
  /** In the client's own words. */
  readonly error?: string;
}

/** What one client makes of one task over one transport. */
export interface Row {
  readonly client: string;
  readonly transport: string;
  readonly task: string;
  readonly verdict: string;
  readonly right: boolean;
}

/** What a peer that ended answers. */
const ENDED = { ok: false, error: 'the client ended' } as const;

/** A program of the field that runs beside us and takes one order after the other. */
export interface Peer<Asked = Order, Answer = Reply> {
  call(order: Asked): Promise<Answer | typeof ENDED>;
  /** Ends it, and waits until it has ended. */
  close(): Promise<void>;
}

/** Starts a client of `clients/`. What it says on stderr is shown; a peer that ends answers every later order with that. */
export function startPeer<Asked = Order, Answer = Reply>(
  command: string,
  args: readonly string[],
): Peer<Asked, Answer> {
  const child = spawn(command, args, { cwd: import.meta.dirname, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'exit');
  child.stdin.on('error', () => undefined);
  return {
    async call(order) {
      child.stdin.write(`${JSON.stringify(order)}\n`);
      const { value, done } = await lines.next();
      return done === true ? ENDED : (JSON.parse(value) as Answer);
    },
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
