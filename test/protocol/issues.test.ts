import { expect, it } from 'vitest';
import { readRequest } from '../../src/protocol/read-request.ts';

it('says of a text that breaks its format and its pattern first what its format is, as that has words', () => {
  const read = readRequest('update_media_buy', {
    idempotency_key: 'a-key-of-this-one-test',
    media_buy_id: 'mb_1',
    start_time: 'soon',
    end_time: 'later',
  });
  const issues = read.ok ? [] : (read.problem.issues ?? []);
  expect(issues.map(({ pointer, keyword }) => [pointer, keyword])).toEqual([
    ['/start_time', 'format'],
    ['/start_time', 'pattern'],
    ['/end_time', 'format'],
    ['/end_time', 'pattern'],
  ]);
  expect(read).toMatchObject({ problem: { message: expect.stringContaining('RFC 3339') } });
});
