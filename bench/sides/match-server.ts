import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { createMetrics } from '../../src/ops/metrics.ts';
import { openCapStore } from '../../src/records/sqlite/cap-store.ts';
import { createAudiences, createTokenHash } from '../../src/trusted-match/eligibility.ts';
import { createMemoryCaps } from '../../src/trusted-match/memory-caps.ts';
import { createMatchProvider } from '../../src/trusted-match/provider.ts';
import { asServer, sideInput } from '../support/as-side.ts';
import { packagesOf, tokenOf } from '../support/match-world.ts';

export interface MatchServerInput {
  readonly kind: 'empty' | 'context' | 'identity';
  readonly packages: number;
  /** Of audiences, and of exposures. */
  readonly tokens: number;
  /** SQLite file of the exposures; absent: memory. */
  readonly caps?: string;
}

const input = await sideInput<MatchServerInput>();
const server = input.kind === 'empty' ? emptyServer() : matchServer(input, input.kind);
await server.listen({ host: '127.0.0.1', port: 0 });
asServer({ port: (server.server.address() as AddressInfo).port }, cpu, () => void server.close());

/** The floor: bare fastify that reads the same JSON body and answers an empty object. */
function emptyServer(): FastifyInstance {
  const empty = fastify();
  for (const path of ['/context', '/identity'])
    empty.post(path, (_request, reply) => {
      reply.send({});
    });
  return empty;
}

function matchServer(
  { packages, tokens, caps }: MatchServerInput,
  kind: 'context' | 'identity',
): FastifyInstance {
  const counts = createMetrics();
  const { targets, rules } = packagesOf(packages);
  if (kind === 'context') return createMatchProvider({ context: { packages: targets }, counts });
  const hash = createTokenHash();
  const clock = { now: Date.now };
  const store = caps === undefined ? createMemoryCaps() : openCapStore(caps);
  const members = Array.from({ length: tokens }, (_, at) => tokenOf(at));
  const audiences = createAudiences(
    { fans: members.filter((_, at) => at % 2 === 0), customers: members.filter((_, at) => at % 5 === 0) },
    hash,
  );
  members.forEach((token, at) => {
    const packageId = rules[(at * 3) % rules.length]?.packageId ?? '';
    const exposure = {
      id: `warm-${at}`,
      token: hash(token),
      packageId,
      at: clock.now(),
      until: clock.now() + 86_400_000,
      keep: 3,
    };
    store.record(exposure);
    store.record({ ...exposure, id: `again-${at}` });
  });
  return createMatchProvider({
    identity: { packages: rules, audiences, caps: store, hash, clock, ttlSeconds: 60 },
    counts,
  });
}

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
