import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../src/api/server.ts';
import { openSqliteIndex } from '../../src/index/embedded/sqlite-index.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import type { Records } from '../../src/ports/records.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import type { KeySource } from '../../src/signing/key-source.ts';
import { fixedKeys } from '../../src/signing/key-source.ts';
import { makeKey, sign } from '../signing/support.ts';
import { agentAt, NOW, type RecordsWorld } from './records-fixtures.ts';

const ORIGIN = 'https://registry.example';
const AGENT = 'https://a.example/mcp';
const PATH = `/api/registry/agents/${encodeURIComponent(AGENT)}/compliance/runs`;

/** What two machines on the same records make of a request that somebody signed. */
export function describeSignedRequests(world: () => RecordsWorld): void {
  describe('signed requests to two machines', () => {
    it('are taken by one of them, and are replays to the other, whichever is asked first', async () => {
      const { harness, records } = world();
      const others = await harness.open();
      onTestFinished(() => others.close());
      const key = await makeKey('build');
      await own(records);
      const machines = await Promise.all(
        [records, others].map((each) => machine(each, fixedKeys([key.public]))),
      );
      for (const [first, second] of [machines, machines.toReversed()]) {
        const request = await signedRequest(key);
        expect(await first?.(request)).toEqual([202, undefined]);
        expect(await second?.(request)).toEqual([401, 'request_signature_replayed']);
        expect(await first?.(request)).toEqual([401, 'request_signature_replayed']);
      }
    });

    it('that come to both at the same time are taken once', async () => {
      const { harness, records } = world();
      const others = await harness.open();
      onTestFinished(() => others.close());
      const key = await makeKey('build');
      await own(records);
      const machines = await Promise.all(
        [records, others].map((each) => machine(each, fixedKeys([key.public]))),
      );
      const request = await signedRequest(key);
      const answers = await Promise.all([...machines, ...machines].map((ask) => ask(request)));
      expect(answers.map(([status]) => status).toSorted()).toEqual([202, 401, 401, 401]);
    });
  });
}

async function own({ sources, members, owners }: Records): Promise<void> {
  await sources.add([agentAt(AGENT)], NOW);
  await members.import([{ slug: 'nova', displayName: 'Nova', foundingMember: false }], NOW);
  await members.register({ agent: AGENT, url: AGENT, member: 'nova' }, NOW);
  const asked = { agent: AGENT, member: 'nova', token: 'token', expiresAt: NOW + 1_000 };
  const { token } = await owners.challenge(asked, NOW);
  await owners.prove({ agent: AGENT, member: 'nova', token, via: 'file' }, NOW);
}

interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string;
}

async function signedRequest(key: Awaited<ReturnType<typeof makeKey>>): Promise<SignedRequest> {
  const payload = JSON.stringify({ agent_url: AGENT });
  const { headers } = await sign(
    key,
    { now: NOW / 1_000 },
    {
      method: 'POST',
      url: ORIGIN + PATH,
      headers: [
        ['Host', new URL(ORIGIN).host],
        ['Content-Type', 'application/json'],
      ],
      body: Buffer.from(payload),
    },
  );
  return { headers: Object.fromEntries(headers), payload };
}

/** A server of its own over these records; asks it, and says its status and why it refused. */
async function machine(records: Records, keys: KeySource) {
  const clock = { now: () => NOW };
  const aside = await openSqliteRecords({ path: ':memory:' });
  const server = createServer({
    records,
    index: await openSqliteIndex(aside.store, { clock }),
    clock,
    logger: pino({ level: 'silent' }),
    metrics: createMetrics({ version: '0.1.0' }),
    signatures: { directory: { keysOf: () => keys }, replays: records.nonces },
    config: { version: '0.1.0', trustedProxies: [], baseUrl: ORIGIN },
  });
  onTestFinished(async () => {
    await server.close();
    await aside.close();
  });
  return async ({ headers, payload }: SignedRequest): Promise<readonly [number, unknown]> => {
    const answer = await server.inject({ method: 'POST', url: PATH, headers, payload });
    return [answer.statusCode, answer.json().signature_error];
  };
}
