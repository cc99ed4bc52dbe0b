import type { Bundle } from '../compliance/storyboards/bundle.ts';
import type { Config } from '../config.ts';
import { registrableDomainOf } from '../domain/domain-name.ts';
import type { Logger } from '../ops/log.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import type { RunListener } from '../ports/webhook-listener.ts';
import type { Nonces } from '../records/counted-nonces.ts';
import { createSignatureGate, type SignatureGate } from '../signing/gate.ts';
import type { KeySource } from '../signing/key-source.ts';
import { openRunReceiver } from '../webhooks/run-receiver.ts';
import { openReplayStore } from './agent-stores.ts';
import { composeKeyDirectory } from './signature-keys.ts';

/** The receiver of a process for the webhooks of the agents that it tests. */
export interface TestWebhooks {
  /** The addresses of one run of the agent. */
  open(url: string): Promise<RunListener>;
  close(): Promise<void>;
}

export interface TestWebhooksParts {
  readonly config: Pick<Config, 'testWebhooks' | 'testWebhookPort'>;
  readonly host: string;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info'>;
}

/** Opens the receiver of REGISTRY_TEST_WEBHOOKS; undefined without that setting: steps about webhooks are then coverage gaps. */
export async function openTestWebhooks(parts: TestWebhooksParts): Promise<TestWebhooks | undefined> {
  const { config, host, fetcher, clock, log } = parts;
  const { testWebhooks: origin, testWebhookPort: port } = config;
  if (origin === '') return undefined;
  const receiver = await openRunReceiver({ origin, host, port, clock });
  const replays = openReplayStore(':memory:');
  const directory = composeKeyDirectory(fetcher, clock);
  log.info({ origin, host, port }, 'receiving the webhooks of tests');
  return {
    async open(url) {
      const brandJsonUrl = `https://${registrableDomainOf(url)}/.well-known/brand.json`;
      const keys = directory.keysOf({ url, brandJsonUrl, kind: 'webhook' });
      const { gate, problem } = await webhookGate(keys, replays, clock);
      if (problem !== undefined) log.info({ agent: url, problem }, 'webhook keys could not be loaded');
      return receiver.open(gate);
    },
    close: () => receiver.close().finally(() => replays.close()),
  };
}

/** True if a step of a storyboard waits for a webhook. */
export function asksForWebhooks({ storyboards }: Bundle): boolean {
  const steps = storyboards.flatMap(({ storyboard }) => storyboard.phases.flatMap((phase) => phase.steps));
  return steps.some(({ task }) => task.startsWith('expect_webhook'));
}

/**
 * Verifies the webhooks of a run. The keys are loaded before the run has the turn of the domain: a fetch during the run
 * would have to wait for its end. `problem`: why the keys are unknown.
 */
export async function webhookGate(
  keys: KeySource,
  replays: Nonces,
  clock: Clock,
): Promise<{ readonly gate?: SignatureGate; readonly problem?: string }> {
  const known = await keys.find('');
  if (known.found || known.fault === 'signature_key_unknown')
    return { gate: createSignatureGate({ kind: 'webhook', keys, replays, clock }) };
  return { problem: known.detail };
}
