import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { AgentProducts } from '../../src/domain/lab-report.ts';
import { askProducts } from '../../src/probe/products.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { serve } from '../calling/support/serve.ts';
import { loopbackFetcher } from '../calling/support/test-fetcher.ts';
import { publish } from '../contract/records-steps.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { openRegistry } from './support/registry.ts';

const clock = { now: () => Date.now() };
const PATH = '/api/public/agent-products';
const product = (id: number | string) => ({ product_id: `product ${id}` });

describe('the products of an agent', () => {
  /** What an agent is asked, and what is told of its answers. */
  async function asked(answer: (input: unknown) => unknown) {
    const inputs: unknown[] = [];
    const agent = mcpAgent({
      tools: ['get_products', 'create_media_buy'],
      answer: (task, input) => {
        inputs.push([task, input]);
        return answer(input);
      },
    });
    return { told: await askProducts(await serve(agent), loopbackFetcher(), clock), inputs };
  }
  const refusal = {
    isError: true,
    structuredContent: { errors: [{ code: 'INVALID_REQUEST', message: 'no' }] },
  };
  const CATALOGUE = ['get_products', { buying_mode: 'wholesale' }];

  it('are its catalogue, which it is asked for once', async () => {
    const { told, inputs } = await asked(() => ({
      content: [],
      structuredContent: { products: [product(1), 'no product', product(2)] },
    }));
    expect(told).toEqual({ products: [product(1), product(2)], count: 3 });
    expect(inputs).toEqual([CATALOGUE]);
  });

  it('are asked for by a brief where the agent sells by one only', async () => {
    const { told, inputs } = await asked((input) =>
      (input as { brief?: string }).brief === undefined
        ? { content: [], ...refusal }
        : { content: [], structuredContent: { products: [product(1)] } },
    );
    expect(told).toEqual({ products: [product(1)], count: 1 });
    expect(inputs).toEqual([CATALOGUE, ['get_products', { buying_mode: 'brief', brief: 'all products' }]]);
  });

  it('are cut to what clients read, whatever comes', async () => {
    const large = Array.from({ length: 900 }, (_, at) => product(`${at} ${'é'.repeat(400)}`));
    const { told } = await asked(() => ({ content: [], structuredContent: { products: large } }));
    expect(told).toMatchObject({ count: 900 });
    expect(Buffer.byteLength(JSON.stringify(told))).toBeLessThan(250 * 1024);
  });

  it.each([
    ['a refusal', { content: [], ...refusal }, 'the agent refused: INVALID_REQUEST'],
    ['no list', { content: [], structuredContent: { products: {} } }, 'the answer has no list of products'],
  ])('are not known after %s', async (_name, answer, failure) => {
    expect((await asked(() => answer)).told).toEqual({ failure });
  });
});

describe('the products of an agent, for whoever asks', () => {
  const AGENT = 'https://a.example/mcp';
  const of = (url: string) => `${PATH}?url=${encodeURIComponent(url)}`;

  /** A registry that knows six agents of one site, and whose questions end when the test says so. */
  async function asking(config: { readonly answerWithinMs?: number } = {}) {
    const asked: { url: string; end: (answer: AgentProducts) => void }[] = [];
    const checks = {
      check: () => Promise.reject(new Error('no file is asked for')),
      close: async () => {},
      products: (url: string) => new Promise<AgentProducts>((end) => asked.push({ url, end })),
    };
    const registry = await openRegistry([], config, { checks });
    const urls = [AGENT, ...Array.from({ length: 10 }, (_, at) => `https://a${at}.site.example/mcp`)];
    await publish(registry.records, 'news.example', {
      authorized_agents: urls.map((url) => ({ url, authorized_for: 'all' })),
    });
    const document = (await registry.get('/openapi.json')).json<OpenApi>();
    const ask = async (url: string, remoteAddress = '127.0.0.1') => {
      const answer = await registry.server.inject({ url: of(url), remoteAddress });
      expect(breaches(document, PATH, answer)).toEqual([]);
      return answer;
    };
    const begun = (count: number) => expect.poll(() => asked.length).toBe(count);
    return { ...registry, asked, ask, begun };
  }

  it('are asked for once for all who ask within a minute', async () => {
    const { ask, asked, begun, clock: time } = await asking();
    const both = [ask(AGENT), ask('HTTPS://A.example:443/mcp/', '127.0.0.2')];
    await begun(1);
    asked[0]?.end({ products: [product(1)], count: 2 });
    const [one, other] = await Promise.all(both);
    expect(one?.json()).toMatchObject({
      ...{ success: true, agent_url: AGENT, products: [product(1)], product_count: 2 },
      ...{ products_truncated: true, asked_at: new Date(time.value).toISOString() },
    });
    expect(other?.body).toBe(one?.body);
    expect((await ask(AGENT)).body).toBe(one?.body);
    expect(asked.map(({ url }) => url)).toEqual([AGENT]);
    time.value += 60_001;
    const again = ask(AGENT);
    await begun(2);
    asked[1]?.end({ failure: 'the connection was refused' });
    expect((await again).json()).toMatchObject({
      ...{ status: 502, code: 'agent_failed', detail: expect.stringContaining('the connection was refused') },
    });
  });

  it('are waited for longer than what the store answers', async () => {
    const { ask, asked, begun } = await asking({ answerWithinMs: 1_000 });
    const answer = ask(AGENT);
    await begun(1);
    await delay(1_100);
    asked[0]?.end({ products: [product(1)], count: 1 });
    expect((await answer).statusCode).toBe(200);
  });

  it('are asked for one agent at a time for a caller without a key, and nine of a site in a minute by others than its owner', async () => {
    const { ask, asked, begun } = await asking();
    const site = (at: number) => `https://a${at}.site.example/mcp`;
    const first = ask(site(0));
    await begun(1);
    const second = await ask(site(1));
    expect([second.json().code, second.headers['retry-after']]).toEqual(['rate_limited', '5']);
    asked[0]?.end({ products: [], count: 0 });
    await first;
    for (let at = 1; at < 9; at += 1) {
      const more = ask(site(at), `127.${at}.0.1`);
      await begun(at + 1);
      asked[at]?.end({ products: [], count: 0 });
      expect((await more).statusCode).toBe(200);
    }
    expect((await ask(site(9), '127.9.0.1')).json()).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(asked).toHaveLength(9);
  });

  it('fill no log when the agent gives none, since nothing is wrong on our side', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const checks = {
      check: () => Promise.reject(new Error('no file is asked for')),
      close: async () => {},
      products: async () => ({ failure: 'it is away' }),
    };
    const { records, get } = await openRegistry([], {}, { checks, logger });
    await publish(records, 'news.example', { authorized_agents: [{ url: AGENT, authorized_for: 'all' }] });
    expect((await get(of(AGENT))).statusCode).toBe(502);
    expect(lines).toEqual([]);
  });

  it('are asked of nobody whom the registry does not know, nor by a registry that visits nobody', async () => {
    const { ask, asked } = await asking();
    expect((await ask('https://nobody.example/mcp')).json()).toMatchObject({
      status: 404,
      code: 'unknown_agent',
    });
    expect((await ask('nonsense')).json()).toMatchObject({ status: 400, code: 'bad_agent_url' });
    expect(asked).toEqual([]);
    const { records, get } = await openRegistry();
    await publish(records, 'news.example', { authorized_agents: [{ url: AGENT, authorized_for: 'all' }] });
    expect((await get(of(AGENT))).json()).toMatchObject({ status: 501, code: 'not_offered' });
  });
});
