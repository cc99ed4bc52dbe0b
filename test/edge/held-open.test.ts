import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { holdOpen } from '../../src/edge/held-open.ts';
import { call, get, guarded } from './support.ts';

const FOR_EVER = 0;

it.each([
  ['while it goes on', false],
  ['before it begins', true],
])('an answer that is held open ends when its reader leaves %s', async (_when, isGone) => {
  const begun = Promise.withResolvers<ServerResponse>();
  const ready = Promise.withResolvers<void>();
  const listener = async (_request: unknown, response: ServerResponse) => {
    begun.resolve(response);
    await ready.promise;
    holdOpen(response, FOR_EVER);
    response.write('begin');
  };
  const port = await guarded((request, response) => void listener(request, response), {
    isUrgent: () => false,
  });
  const { socket } = await call(port, get('/'));
  const response = await begun.promise;
  const closed = once(response, 'close');
  if (!isGone) {
    ready.resolve();
    await once(socket, 'data');
  }
  const left = once(response.socket ?? response, 'end');
  socket.end();
  await left;
  ready.resolve();
  await closed;
  expect(response.destroyed).toBe(true);
});
