import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { bareDocument } from './support/documents.ts';
import { openRegistry } from './support/registry.ts';

const AGENTS = 210;
/** Lists on one connection: together they are more than the system keeps for a reader who does not read. */
const LISTS = [200, 201, 202, 203, 204, 205];
const DESCRIPTION = 'é'.repeat(4_000);

it('sends each reader its own list, however slowly it is read while others are made in the same rooms', async () => {
  const documents = Array.from({ length: AGENTS }, (_, at) => {
    const { base, ...document } = bareDocument(`https://a${1_000 + at}.example/`);
    return { ...document, base: { ...base, description: `${at}${DESCRIPTION}` } };
  });
  const { server } = await openRegistry(documents);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const slow = Array.from({ length: 2 }, () => ask(port, LISTS));
  await Promise.all(slow.map((socket) => once(socket, 'readable'))); // each has begun to come
  for (let limit = 1; limit <= 190; limit += 13) {
    const answer = await fetch(`http://127.0.0.1:${port}${pathOf(limit)}`);
    expect(agentsIn(await answer.text())).toEqual(namesUpTo(limit));
  }
  for (const socket of slow) {
    const answers = (await text(socket)).split('\r\n\r\n').slice(1);
    const bodies = answers.map((answer) => answer.split('HTTP/1.1 200')[0] ?? '');
    expect(bodies.map(agentsIn)).toEqual(LISTS.map(namesUpTo));
  }
});

function pathOf(limit: number): string {
  return `/api/registry/agents?limit=${limit}`;
}

/** Asks and reads nothing yet. */
function ask(port: number, limits: readonly number[]): Socket {
  const socket = connect(port, '127.0.0.1');
  for (const limit of limits) {
    const end = limit === limits.at(-1) ? 'Connection: close\r\n' : '';
    socket.write(`GET ${pathOf(limit)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${end}\r\n`);
  }
  return socket;
}

function agentsIn(body: string): readonly string[] {
  const { agents } = JSON.parse(body) as { agents: { url: string; description: string }[] };
  return agents.map(({ url, description }) => `${url} ${description}`);
}

function namesUpTo(limit: number): readonly string[] {
  return Array.from({ length: limit }, (_, at) => `https://a${1_000 + at}.example/ ${at}${DESCRIPTION}`);
}
