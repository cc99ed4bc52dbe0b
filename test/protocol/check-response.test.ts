import { describe, expect, it } from 'vitest';
import { checkResponse } from '../../src/protocol/read-request.ts';
import { TASK_NAMES } from '../../src/protocol/tasks.ts';
import { examplesOf } from './requests.ts';

describe('the answer of a task', () => {
  it.each(TASK_NAMES)('follows its schema for %s', (task) => {
    for (const example of examplesOf(task, 'response'))
      expect(checkResponse(task, example, '3.0')).toEqual([]);
  });

  it('is told with every place where it does not', () => {
    expect(
      checkResponse('get_products', { products: [{ name: 'Tea' }] }).map(({ pointer }) => pointer),
    ).toEqual([
      '/products/0/product_id',
      '/products/0/channels',
      '/products/0/pricing_options',
      '/products/0/format_ids',
    ]);
    expect(
      checkResponse('get_proto_capabilities', {
        supported_protocols: [],
        creative: { supported_formats: [7] },
        proto: {},
      }),
    ).toEqual([
      {
        pointer: '/creative/supported_formats/0',
        message: 'must be string or object',
        keyword: 'type',
      },
    ]);
    expect(checkResponse('get_products', { products: [] }, '9.9')).toMatchObject([{ keyword: 'version' }]);
    expect(checkResponse('get_products', 'products')).toMatchObject([
      { pointer: '', message: 'must be object' },
    ]);
  });

  it('needs an approval token when it approves', () => {
    const approved = { plan_id: 'p', decision: 'approved', reason: 'fine' };
    expect(checkResponse('check_governance', approved)).toMatchObject([{ pointer: '/governance_approval' }]);
    expect(checkResponse('check_governance', { ...approved, decision: 'denied' })).toEqual([]);
  });
});
