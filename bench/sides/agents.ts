import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSandbox } from '../../reference-agents/src/start-sandbox.ts';
import type { Jwk } from '../../src/signing/public-key.ts';
import { asServer, sideInput } from '../support/as-side.ts';
import { PARENT } from '../support/publishers.ts';

export interface AgentsInput {
  /** Reference agents by host. There are as many webs as it takes to give each number an agent of its own. */
  readonly hosts: readonly string[];
  /** How many agents under names of their own: `agent-N` of the parent, in turn one of the hosts. */
  readonly numbered: number;
  /** Public keys with which their buyer signs. */
  readonly deskKeys?: readonly Jwk[];
  /** Default `proto`. */
  readonly vocabulary?: 'proto' | 'adcp' | undefined;
}

export interface AgentsReady {
  /** Of the first web; any client reaches its agents under `ORIGIN/@HOST/PATH`. */
  readonly origin: string;
  /** For `--connect-to`: the reference agents, and those that are numbered. */
  readonly connectTo: readonly string[];
}

/**
 * The reference agents in a process of their own. Numbered ones have each a registrable domain, since of one domain only
 * one agent is visited at a time.
 */
const { hosts, numbered, deskKeys = [], vocabulary = 'proto' } = await sideInput<AgentsInput>();
const webs = Math.max(1, Math.ceil(numbered / Math.max(1, hosts.length)));
const sandboxes = await Promise.all(
  Array.from({ length: webs }, (_, at) =>
    startSandbox({ seed: at + 1, publishers: 20, managed: 5, deskKeys, vocabulary }),
  ),
);
const [first] = sandboxes;
const front = createServer(forward);
front.listen(0, '127.0.0.1', () => {
  const port = (front.address() as AddressInfo).port;
  const connectTo = [...(first?.connectTo ?? []), `*.${PARENT}=http://127.0.0.1:${port}`];
  asServer({ origin: first?.origin ?? '', connectTo } satisfies AgentsReady, () => null, stop);
});

/** Hands a request for a numbered agent to the one that it stands for. */
function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const number = Number(/^agent-(\d+)\./.exec(incoming.headers.host ?? '')?.[1] ?? 0);
  const host = hosts[number % hosts.length] ?? '';
  const { port } = new URL(sandboxes[Math.floor(number / hosts.length)]?.origin ?? first?.origin ?? '');
  const { method, url: path, headers } = incoming;
  const passed = request(
    { host: '127.0.0.1', port, method, path, headers: { ...headers, host } },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    },
  );
  passed.on('error', (error) => outgoing.destroy(error));
  incoming.pipe(passed);
}

function stop(): void {
  front.close();
  front.closeAllConnections();
  void Promise.all(sandboxes.map((sandbox) => sandbox.close()));
}
