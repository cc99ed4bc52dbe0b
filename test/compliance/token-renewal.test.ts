import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runAgent } from '../../src/compliance/run/run-agent.ts';
import { composeCredentials, composeExchange } from '../../src/compose/credentials.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { readConfig } from '../../src/config.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { makeSealingKeys } from '../../src/signing/sealing-keys.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { bodyOf, json, serve } from '../calling/support/serve.ts';
import { tempFolder } from '../cli/support/cli.ts';
import { answered, bundleOf, OPEN, resultsOf, stepOf, withPhases } from './support/runs.ts';

const START = Date.UTC(2026, 0, 6);
const HOST = 'sales.nova.example';
const AGENT = `https://${HOST}/`;
/** Of the same registrable domain: the visit to the agent has its turn. */
const AUTH = 'auth.nova.example';
const CLIENT = {
  token_endpoint: `https://${AUTH}/token`,
  client_id: 'tests',
  client_secret: 'canary-of-a-client-secret',
};
const STEPS = ['a', 'b', 'c', 'd', 'e', 'f'];
const ASK = bundleOf(
  withPhases(`  - {id: p, steps: [${STEPS.map((id) => `{id: ${id}, task: get_products}`).join(', ')}]}\n`),
);
const nova = { kind: 'operator', member: 'nova' } as const;

interface World {
  /** What the endpoint says of the life of each token, seconds; the last one for ever. */
  readonly lives: readonly (number | undefined)[];
  /** Whether it gives the token of this number, counted from 1. Default: each. */
  readonly gives?: (n: number) => boolean;
  /** Done as the agent answers its nth get_products, before that is answered. */
  readonly during?: (n: number, world: Doings) => unknown;
  /** What the agent, which knows the endpoint, says in a refusal of the header that the endpoint was sent last. */
  readonly says?: (header: string) => readonly string[];
}

interface Doings {
  readonly clock: { value: number };
  /** The agent takes none any more of those that there are. */
  readonly revoke: () => void;
  readonly takeBack: () => Promise<unknown>;
}

/** A run of six steps of 100 s each, against a real agent with a token endpoint beside it; the clock is the test's. */
async function run({ lives, gives = () => true, during, says = () => [] }: World) {
  const clock = { value: START, now: () => clock.value };
  const ends = new Map<string, number>();
  const asked: (string | undefined)[] = [];
  const used: string[] = [];
  let products = 0;
  const well = mcpAgent({
    tools: ['get_proto_capabilities', 'get_products'],
    answer: async (task) => {
      if (task !== 'get_products') return answered(OPEN);
      products += 1;
      const words = says(String(asked.at(-1)));
      if (words.length === 0) return answered({ products: [] });
      return {
        isError: true,
        ...answered({ errors: [{ code: 'INTERNAL', message: words.join(', ') }], words }),
      };
    },
  });
  const origin = await serve(async (request, response) => {
    if (request.headers.host === AUTH) {
      asked.push(request.headers.authorization);
      if (!gives(asked.length)) return json(response, { error: 'invalid_client' }, 401);
      const token = `canary-of-token-number-${asked.length}`;
      const seconds = lives[asked.length - 1] ?? lives.at(-1);
      ends.set(`Bearer ${token}`, seconds === undefined ? Infinity : clock.value + seconds * 1_000);
      return json(response, { access_token: token, token_type: 'Bearer', expires_in: seconds });
    }
    const body = request.method === 'POST' ? await bodyOf(request) : undefined;
    if ((body?.params as { name?: string } | undefined)?.name === 'get_products') {
      clock.value += 100_000;
      await during?.(products + 1, doings);
    }
    const authorization = String(request.headers.authorization);
    used.push(authorization);
    if ((ends.get(authorization) ?? 0) < clock.value)
      return json(response, { echo: authorization.slice('Bearer '.length) }, 401);
    return well(request, response, body);
  });
  const fetcher = composeFetcher(readConfig({}), { connectTo: [`*.nova.example=${origin}`] }, clock);
  onTestFinished(() => fetcher.close());
  const credentials = await storedClient(composeExchange(fetcher, clock), clock);
  const doings: Doings = {
    clock,
    revoke: () => ends.clear(),
    takeBack: () => credentials.forget({ agent: AGENT, actor: nova }),
  };
  const credential = await credentials.credentialOf(AGENT);
  const result = await runAgent({
    ...{ url: AGENT, fetcher, clock, bundle: ASK, consent: 'owner', trigger: 'heartbeat' },
    ...{ target: '3.0', version: '3.0.0', protocols: ['mcp'] },
    ...(credential && { auth: credential }),
    limits: { stepMs: 20_000, runMs: 900_000 },
  });
  return { result, asked, used };
}

async function storedClient(exchange: ReturnType<typeof composeExchange>, clock: { now(): number }) {
  const records = await openSqliteRecords({ path: ':memory:' });
  onTestFinished(() => records.close());
  await records.members.import([{ slug: 'nova', displayName: 'Nova', foundingMember: false }], START);
  await records.members.register({ agent: AGENT, url: AGENT, member: 'nova' }, START);
  const wanted = { agent: AGENT, member: 'nova', token: 'proof', expiresAt: START + 1 };
  const { token } = await records.owners.challenge(wanted, START);
  await records.owners.prove({ agent: AGENT, member: 'nova', token, via: 'dns' }, START);
  const credentialKeys = join(tempFolder(), 'keys.json');
  await makeSealingKeys(credentialKeys, START);
  const credentials = await composeCredentials({ credentialKeys }, records, clock, exchange);
  expect(await credentials.keep({ agent: AGENT, client: CLIENT, actor: nova })).toBe('stored');
  return credentials;
}

const passed = STEPS.map((id) => `${id}: pass`);

describe('the token of an OAuth client, in a run', () => {
  it('is renewed before it ends, beside the agent on one site', async () => {
    const { result, asked, used } = await run({ lives: [300] });
    expect(result.outcome).toBe('complete');
    expect(resultsOf(result)).toEqual(passed);
    expect(asked).toHaveLength(2);
    expect(new Set(used).size).toBe(2);
  });

  it('stands in no report, nor does what was sent for it, however the agent writes them', async () => {
    const { client_secret: secret } = CLIENT;
    const written: string[] = [];
    const says = (header: string) => {
      const credential = Buffer.from(header.slice('Basic '.length), 'base64').toString();
      const hex = Buffer.from(secret).toString('hex');
      written.push(header, header.slice('Basic '.length), credential, secret, hex.replace(/../g, '%$&'));
      return written;
    };
    const { result } = await run({ lives: [300], says });
    expect(resultsOf(result)).toEqual(STEPS.map((id) => `${id}: fail`));
    const report = JSON.stringify(result);
    expect(report).toContain('[redacted]');
    expect(written.filter((text) => report.includes(text))).toEqual([]);
    expect(report).not.toContain('canary-of-token-number');
  });

  it('that lives longer than the run is asked for once', async () => {
    for (const lives of [[3_600], [undefined]]) {
      const { result, asked } = await run({ lives });
      expect([resultsOf(result), asked.length]).toEqual([passed, 1]);
    }
  });

  it('that ends at once is not asked for at each request', async () => {
    const { asked, used } = await run({ lives: [1] });
    expect(used.length).toBeGreaterThan(asked.length);
    expect(asked.length).toBeLessThanOrEqual(8);
  });

  it('is taken anew once when the agent refuses it, and the call is made again', async () => {
    const during: World['during'] = (n, { revoke }) => n === 3 && revoked === 0 && ++revoked && revoke();
    let revoked = 0;
    const { result, asked } = await run({ lives: [3_600], during });
    expect([resultsOf(result), asked.length]).toEqual([passed, 2]);
  });

  it('is asked for no third time where the agent refuses each, and none is shown', async () => {
    const { result, asked } = await run({ lives: [3_600], during: (_n, { revoke }) => revoke() });
    expect(asked).toHaveLength(2);
    expect(result.outcome).toBe('complete');
    expect(stepOf(result, 'b')).toMatchObject({ result: 'fail' });
    expect(JSON.stringify(stepOf(result, 'b').evidence)).toContain('[redacted]');
    expect(JSON.stringify(result)).not.toMatch(/canary/);
  });

  it.each<[string, World, string]>([
    [
      'the endpoint refuses the next one',
      { lives: [300], gives: (n) => n === 1 },
      'the stored OAuth client could not get a new token: the token endpoint refused: invalid_client',
    ],
    [
      'its owner takes the client back',
      { lives: [300], during: (n, { takeBack }) => n === 2 && takeBack() },
      'the stored OAuth client could not get a new token: the owner deleted the credential during the run',
    ],
  ])('makes the run inconclusive when %s, and costs the agent nothing', async (_name, world, detail) => {
    const { result } = await run(world);
    expect(result).toMatchObject({
      outcome: 'inconclusive',
      inconclusive: { reason: 'auth_required', lacks: 'credential', detail },
    });
    expect(result.steps.filter((step) => step.result === 'fail')).toEqual([]);
  });
});
