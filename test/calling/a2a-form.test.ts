import { describe, expect, it } from 'vitest';
import { formWanted, isAboutForm } from '../../src/calling/a2a-answer.ts';
import { failedContent, refusedContent } from '../../src/calling/task-answer.ts';
import { serve } from './support/serve.ts';
import { type Shop, TRANSPORTS } from './support/shop.ts';
import { visit } from './support/visit.ts';

const no = (code: string, message: string, pointer?: string) =>
  refusedContent({ code, message, ...(pointer !== undefined && { pointer }) }, '');
const yes = { outcome: 'answered', data: {} } as const;

describe('a refusal', () => {
  it.each([
    ['INVALID_REQUEST at no place', no('INVALID_REQUEST', 'nothing to do'), true],
    ['INVALID_REQUEST at the whole', no('INVALID_REQUEST', 'must be an object', ''), true],
    ['INVALID_REQUEST at the input', no('INVALID_REQUEST', 'missing', '/input'), true],
    ['INVALID_REQUEST at a field', no('INVALID_REQUEST', 'missing', '/brief'), false],
    ['a conflict', no('IDEMPOTENCY_CONFLICT', 'another payload'), false],
    ['a budget', no('BUDGET_TOO_LOW', 'parameters too low'), false],
    ['credentials', no('AUTH_REQUIRED', 'who are you'), false],
    ['prose', refusedContent(undefined, 'input expected'), false],
    ['a timeout', failedContent('timeout', 'no answer'), false],
    ['an answer', yes, false],
  ])('may be about the form of the request: %s', (_name, answer, expected) => {
    expect(isAboutForm(answer)).toBe(expected);
  });

  it.each([
    ['the second succeeds', no('INVALID_REQUEST', 'nothing'), yes, 'parameters'],
    ['the second is refused for its meaning', no('INVALID_REQUEST', 'x'), no('CONFLICT', 'y'), 'parameters'],
    [
      'the second misses the input',
      no('INVALID_REQUEST', 'brief?'),
      no('INVALID_REQUEST', 'input?'),
      'input',
    ],
    [
      'the first misses parameters',
      no('INVALID_REQUEST', 'no parameters'),
      no('INVALID_REQUEST', 'x'),
      'parameters',
    ],
    ['neither says', no('INVALID_REQUEST', 'x'), no('INVALID_REQUEST', 'x'), undefined],
    [
      'the second is too large',
      no('INVALID_REQUEST', 'parameters?'),
      failedContent('too_large', 'x'),
      'parameters',
    ],
    ['the second gets no answer', no('INVALID_REQUEST', 'x'), failedContent('timeout', 'x'), undefined],
  ])('tells the form that is wanted when %s', (_name, first, second, expected) => {
    expect(formWanted(first, second)).toBe(expected);
  });
});

describe('an agent of A2A', () => {
  const keyOf = (part: object) => Object.keys(part).filter((key) => key !== 'skill');

  /** The data parts that a shop is sent. */
  async function sent(name: string, shop: Shop, calls: readonly (readonly [string, unknown])[]) {
    const parts: object[] = [];
    const transport = TRANSPORTS.find((one) => one.name === name);
    const listen = transport?.listen(shop) ?? (() => undefined);
    const origin = await serve(listen);
    await visit(
      `${origin}/a2a`,
      async (agent) => {
        for (const [task, payload] of calls) await agent.callTask(task, payload);
      },
      {
        wrap: (fetch) => (input, init) => {
          if (typeof init?.body === 'string') parts.push(JSON.parse(init.body).params.message.parts[0].data);
          return fetch(input, init);
        },
        protocols: ['a2a'],
      },
    );
    return parts;
  }

  it('is asked for its form once, and from then on in that form', async () => {
    const parts = await sent('a2a 0.3 of the first days', () => ({ data: {} }), [
      ['create_media_buy', { a: 1 }],
      ['create_media_buy', { a: 2 }],
    ]);
    expect(parts.map(keyOf)).toEqual([['input'], ['parameters'], ['parameters']]);
  });

  it('of the public vocabulary and 1.0 is sent both names, since some read only the older one and say nothing', async () => {
    const parts = await sent('a2a 1.0', () => ({ data: {} }), [['create_media_buy', { a: 1 }]]);
    expect(parts).toEqual([{ skill: 'create_media_buy', input: { a: 1 }, parameters: { a: 1 } }]);
  });

  it('is not sent a purchase again for a refusal of what it says', async () => {
    const shop: Shop = () => ({ error: { code: 'BUDGET_TOO_LOW', message: 'too low', pointer: '/budget' } });
    const parts = await sent('a2a 0.3', shop, [['create_media_buy', { budget: 1 }]]);
    expect(parts.map(keyOf)).toEqual([['input']]);
  });

  it('keeps its first answer where the second only misses the input', async () => {
    const shop: Shop = () => ({ error: { code: 'INVALID_REQUEST', message: 'a brief is needed' } });
    const url = `${await serve(TRANSPORTS[4]?.listen(shop) ?? (() => undefined))}/a2a`;
    const answers = await visit(url, async (agent) => [
      await agent.callTask('get_products', { a: 1 }),
      await agent.callTask('get_products', { a: 1 }),
    ]);
    expect(answers).toMatchObject([
      { error: { message: 'a brief is needed' } },
      { error: { message: 'a brief is needed' } },
    ]);
  });
});
