import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { asServer, sideInput } from '../support/as-side.ts';

export interface ConstantInput {
  readonly body: string;
}

/** The floor: bare fastify that sends the same bytes whatever is asked. */
const { body } = await sideInput<ConstantInput>();
const bytes = Buffer.from(body);
const server = fastify();
server.get('*', (_request, reply) => {
  reply.type('application/json; charset=utf-8').send(bytes);
});
await server.listen({ host: '127.0.0.1', port: 0 });
asServer({ port: (server.server.address() as AddressInfo).port }, cpu, () => void server.close());

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
