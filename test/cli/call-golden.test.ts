import { describe, expect, it, vi } from 'vitest';
import type { TaskContent } from '../../src/calling/connection.ts';
import { type CallReport, printCall } from '../../src/cli/commands/call/print.ts';
import { follows } from './support/schemas.ts';

const report = (content: TaskContent): CallReport => ({
  url: 'https://sales.agents.example/mcp',
  name: 'get_products',
  protocol: 'mcp',
  endpoint: 'https://sales.agents.example/mcp',
  steps: [{ step: 'initialize', url: 'https://sales.agents.example/mcp', durationMs: 12, ok: true }],
  idempotencyKey: '6f1c9d1e-7f0e-4c55-9d1a-2c1f5f0f6a11',
  issues: [{ pointer: '/products/0/name', message: 'is missing', keyword: 'required' }],
  answer: { ...content, status: 200, durationMs: 34, raw: '{}' },
});

const ANSWERED = report({
  outcome: 'answered',
  data: {
    products: [
      {
        product_id: 'evening-video',
        channels: ['olv'],
        pricing_options: [
          { pricing_option_id: 'cpm-1', model: 'cpm', price: 14, currency: 'EUR' },
          { pricing_option_id: 'flat-1', model: 'flat_rate', price: 5_000, currency: 'EUR' },
        ],
        description: `An evening of video. ${'Long and longer. '.repeat(40)}`,
      },
    ],
  },
});

const REFUSED = {
  ...report({
    outcome: 'refused',
    error: {
      code: 'BUDGET_TOO_LOW',
      message: '/packages/0/budget must be at least 100',
      pointer: '/packages/0/budget',
      recovery: 'correctable',
      object: {
        code: 'BUDGET_TOO_LOW',
        message: '/packages/0/budget must be at least 100',
        pointer: '/packages/0/budget',
        recovery: 'correctable',
        details: { minimum: 100, currency: 'EUR' },
      },
    },
  }),
  issues: [],
};

function printed(one: CallReport, format: 'text' | 'json'): string {
  const chunks: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => chunks.push(String(chunk)) > 0);
  printCall(one, format);
  spy.mockRestore();
  return chunks.join('');
}

describe('the golden samples of a call', () => {
  it.each([
    ['answered', ANSWERED],
    ['refused', REFUSED],
  ])('%s', async (name, one) => {
    const json = printed(one, 'json');
    follows(json, 'cli/call.json');
    await expect(json).toMatchFileSnapshot(`../golden/cli-call-${name}.json`);
    await expect(printed(one, 'text')).toMatchFileSnapshot(`../golden/cli-call-${name}.txt`);
  });
});
