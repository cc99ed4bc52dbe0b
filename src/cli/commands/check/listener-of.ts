import type { Bundle } from '../../../compliance/storyboards/bundle.ts';
import { RegistryError } from '../../../errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Fetcher } from '../../../ports/fetcher.ts';
import type { WebhookListener } from '../../../ports/webhook-listener.ts';
import { senderKeys } from '../../input/sender-keys.ts';
import { note } from '../../output/print.ts';
import type { CheckFlags } from './flags.ts';

/**
 * A receiver for the webhooks of an agent, where the bundle asks for one and the agent can reach it: at the origin that
 * the user names, or on this machine for an agent of this machine. Undefined elsewhere: then steps about webhooks are gaps.
 *
 * @param bundle undefined while it is not chosen: it may ask for one
 */
export async function listenerOf(
  url: string,
  bundle: Bundle | undefined,
  { webhooks: origin, webhookPort: port, webhookJwks }: CheckFlags,
  fetcher: Fetcher,
  clock: Clock,
): Promise<{ readonly listener: WebhookListener; readonly close: () => Promise<void> } | undefined> {
  const { hostname } = new URL(url);
  const isHere = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
  const { asksForWebhooks, webhookGate } = await import('../../../compose/test-webhooks.ts');
  const isAsked = bundle === undefined || asksForWebhooks(bundle);
  if (!isAsked || (origin === undefined && !isHere)) return undefined;
  if (origin !== undefined && URL.parse(origin)?.origin !== origin)
    throw new RegistryError('usage', `--webhooks ${origin.slice(0, 200)} is not an origin`, {
      hint: 'write an origin such as https://hooks.buyer.example',
    });
  const { openReplayStore } = await import('../../../compose/agent-stores.ts');
  const { openRunReceiver } = await import('../../../webhooks/run-receiver.ts');
  const replays = openReplayStore(':memory:');
  const keys = await senderKeys({ jwks: webhookJwks, agent: url }, fetcher, clock);
  const { gate, problem } = await webhookGate(keys, replays, clock);
  if (problem !== undefined)
    note(`the webhook keys of the agent could not be loaded: ${problem}; set a key file with --webhook-jwks`);
  const receiver = await openRunReceiver({ port, clock, ...(origin !== undefined && { origin }) });
  const { listener } = receiver.open(gate);
  return { listener, close: () => receiver.close().finally(() => replays.close()) };
}
