import { openAgentStates } from '../../src/records/sqlite/agent-state.ts';
import { readSigningKey } from '../../src/signing/private-key.ts';
import { createDeliverer } from '../../src/webhooks/deliverer.ts';
import { createWebhookQueue } from '../../src/webhooks/queue.ts';
import { fetcherFor, type Web } from '../crawl/fetch/web.ts';
import { HOOKS, news, SELLER, SYSTEM_CLOCK } from './fixtures.ts';

// the process that a test kills: the path of its state, the origin of the receiver and a private key are its arguments
const [path = '', origin = '', jwk = ''] = process.argv.slice(2);
const state = openAgentStates(path).of(SELLER);
const deliverer = createDeliverer({
  state,
  fetcher: fetcherFor({ origin } as Web),
  signing: { key: await readSigningKey(JSON.parse(jwk)), profile: '3.2' },
  clock: SYSTEM_CLOCK,
});
const queue = createWebhookQueue(state, { clock: SYSTEM_CLOCK, onAdded: deliverer.wake });
queue.add({ url: HOOKS, payload: news('mb-1', 1) });
queue.add({ url: HOOKS, payload: news('mb-1', 2) });
await deliverer.run(new AbortController().signal, (error) => {
  throw error;
});
