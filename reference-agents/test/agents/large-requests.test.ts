import { describe, expect, test } from 'vitest';
import { A2A, overA2a, overMcp, rawCalls, refusalIn, SALES } from './raw-calls.ts';

const { post } = rawCalls();

/** Sends JSON in which the text `"@"` is replaced by what would be too large to be made by JSON.stringify. */
async function refusals(input: object, hole: string): Promise<readonly unknown[]> {
  const fill = (message: object) => JSON.stringify(message).replace('"@"', hole);
  const answers = await Promise.all([
    post(`${SALES}/mcp`, fill(overMcp('get_products', input))),
    post(`${SALES}/a2a`, fill(overA2a('get_products', input)), A2A),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  return Promise.all(answers.map(async (answer) => refusalIn(await answer.json())));
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('a request that is too large is refused by its task, in the same words over MCP and A2A', () => {
  test.each([
    ['small lists, 7.8 MB of them', `[${'[],'.repeat(2_600_000)}[]]`, ''],
    ['lists inside each other, 33 deep', nested(33), /^\/brief\/0/],
    ['lists inside each other, 5,000 deep', nested(5_000), /^\/brief\/0/],
    ['lists inside each other, 2,000,000 deep', nested(2_000_000), /^\/brief\/0/],
    ['a text of 7 MB', `"${'x'.repeat(7_000_000)}"`, '/brief'],
  ])('%s', async (_what, hole, pointer) => {
    const [mcp, a2a] = await refusals({ brief: '@' }, hole);
    const place = typeof pointer === 'string' ? pointer : expect.stringMatching(pointer);
    expect(mcp).toMatchObject({ code: 'REQUEST_TOO_LARGE', pointer: place });
    expect(a2a).toEqual(mcp);
  });

  test('a request that is as deep as it may be reaches its task', async () => {
    const [mcp, a2a] = await refusals({ brief: '@' }, nested(30));
    expect(mcp).toMatchObject({ code: 'INVALID_REQUEST', pointer: '/brief' });
    expect(a2a).toEqual(mcp);
  });
});

describe('what is too large around the request is a 400', () => {
  const message = (more: string) =>
    `{"jsonrpc":"2.0","id":"mine","method":"SendMessage","params":{"message":{"messageId":"a","role":"ROLE_USER","parts":[{"data":{"skill":"get_products","input":{}}}]${more}}}}`;

  test.each([
    ['deep metadata', message(`,"metadata":{"a":${nested(5_000)}}`), 'mine'],
    ['a deep id', `{"jsonrpc":"2.0","id":${nested(200_000)},"method":"SendMessage","params":{}}`, null],
    ['many parts', message(`,"referenceTaskIds":[${'"x",'.repeat(200_000)}"x"]`), 'mine'],
    ['a batch of many calls', `[${`${JSON.stringify(overMcp('x', {}))},`.repeat(20_000)}1]`, null],
  ])('%s', async (_what, body, id) => {
    for (const [path, headers] of [['/mcp', {}] as const, ['/a2a', A2A] as const, ['/a2a', {}] as const]) {
      const answer = await post(`${SALES}${path}`, body, headers);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({
        id,
        error: { code: -32_600, data: { code: 'REQUEST_TOO_LARGE' } },
      });
    }
  });

  test('a batch with one request that is too large is refused whole', async () => {
    const batch = [overMcp('get_products', { brief: 'x'.repeat(200_000) }), overMcp('get_products', {})];
    expect((await post(`${SALES}/mcp`, batch)).status).toBe(400);
  });
});
