import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sandbox } from '../../reference-agents/src/sandbox.ts';
import { member } from '../../src/base/json.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { webhookFault } from '../../src/protocol/read-request.ts';
import { openAgentStates } from '../../src/records/sqlite/agent-state.ts';
import { createSignatureGate } from '../../src/signing/gate.ts';
import { fixedKeys } from '../../src/signing/key-source.ts';
import type { Jwk } from '../../src/signing/public-key.ts';
import { openInbox } from '../../src/webhooks/inbox.ts';
import { createWebhookReceiver, type WebhookRefusal } from '../../src/webhooks/receiver.ts';
import { makeKey, replayMemory } from '../signing/support.ts';
import type { Peer, Reply, Row } from './peer.ts';
import { AGENTS, HOOK_HOST } from './steps/lane.ts';

/** A webhook as it came. */
interface Posted {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** For a process of the field: a webhook of ours to take, or one of its own to send, `times` over. */
type HookOrder =
  | { readonly take: Posted; readonly keys: readonly Jwk[] }
  | { readonly post: string; readonly key: Jwk; readonly times: number };

/** What our agents have to post in a lane; its steps ask for it. */
const WANTED = ['paused', 'pending_start', 'active'].map((status) => `create_media_buy ${status}`);

/** A receiver that takes down what it is sent and believes all of it. */
export async function openHooks() {
  const posted: Posted[] = [];
  const web = await listening(async (request, response) => {
    posted.push(await postedOf(request));
    response.end();
  });
  return {
    connectTo: `${HOOK_HOST}=${web.origin}`,
    /** Each as the receiver of the package takes it, with the keys that the agents publish. */
    async rowsOf(about: Pick<Row, 'client' | 'transport'>, sandbox: Sandbox, peer: Peer): Promise<Row[]> {
      for (let tries = 0; tries < 2_000 && missing(posted).length > 0; tries += 1) await pause(50);
      const keys = await keysOf(sandbox.origin, new URL(AGENTS.sales).host);
      const rows: Row[] = missing(posted).map((name) => ({
        ...{ ...about, task: `webhook: ${name}`, verdict: 'never came', right: false },
      }));
      for (const one of posted) {
        const reply = (await (peer as unknown as Peer<HookOrder>).call({ take: one, keys })) as Reply;
        const verdict = reply.ok ? 'accepted' : String(reply.error);
        rows.push({ ...about, task: `webhook: ${nameOf(one)}`, verdict, right: reply.ok });
      }
      return rows;
    },
    close: web.close,
  };
}

/** What the package sends, twice, to a receiver of ours: kept, and recognised. */
export async function runTheirHooks(client: string, peer: Peer): Promise<readonly Row[]> {
  const states = openAgentStates(':memory:');
  const replays = replayMemory();
  const key = await makeKey('their-hooks', 'webhook-signing', 'ed25519', 'adcp');
  const refusals: WebhookRefusal[] = [];
  const taken: string[] = [];
  let listener: RequestListener = (_request, response) => void response.writeHead(503).end();
  const web = await listening((...exchange) => listener(...exchange));
  listener = createWebhookReceiver({
    gate: createSignatureGate({
      kind: 'webhook',
      keys: fixedKeys([key.public]),
      replays,
      clock: systemClock,
    }),
    inbox: openInbox(states.of('urn:peers')),
    clock: systemClock,
    origin: web.origin,
    validate: webhookFault,
    onRefused: (refusal) => refusals.push(refusal),
    onWebhook: ({ webhook: { payload }, duplicate }) =>
      taken.push(`${payload.task_type} ${payload.operation_id}${duplicate ? ' again' : ''}`),
  });
  const order: HookOrder = { post: `${web.origin}/hooks/op-7`, key: key.private, times: 2 };
  const reply = (await (peer as unknown as Peer<HookOrder>).call(order)) as Reply;
  web.close();
  states.close();
  await replays.close();
  const isRight = reply.ok && taken.join() === 'create_media_buy op-7,create_media_buy op-7 again';
  const told = refusals.map(({ code, detail }) => `${code}: ${detail}`).join();
  const verdict = isRight ? 'kept, and recognised' : [told, taken.join(), reply.error].join(' · ');
  return [{ client: 'ours', transport: '-', task: `webhook of ${client}`, verdict, right: isRight }];
}

function missing(posted: readonly Posted[]): readonly string[] {
  const names = posted.map(nameOf);
  return WANTED.filter((name) => !names.includes(name));
}

/** The task, and what it came to. */
function nameOf({ body }: Posted): string {
  const said: unknown = JSON.parse(body);
  return `${member(said, 'task_type')} ${member(member(said, 'result'), 'status')}`;
}

async function postedOf(request: IncomingMessage): Promise<Posted> {
  const { method = '', url = '', headers } = request;
  const body = await text(request);
  return {
    ...{ method, url: `https://${HOOK_HOST}${url}`, body },
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  };
}

async function keysOf(origin: string, host: string): Promise<readonly Jwk[]> {
  const response = await fetch(`${origin}/@agents.example/keys/${host.split('.')[0]}.json`);
  return ((await response.json()) as { keys: readonly Jwk[] }).keys;
}

async function listening(listener: RequestListener): Promise<{ origin: string; close: () => void }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
