import { join } from 'node:path';
import { runAgent } from '../../../src/compliance/run/run-agent.ts';
import type { ComplianceRun } from '../../../src/compliance/run-result.ts';
import { type Bundle, readBundle } from '../../../src/compliance/storyboards/bundle.ts';
import { systemClock } from '../../../src/compose/clock.ts';
import { composeFetcher } from '../../../src/compose/network.ts';
import { readConfig } from '../../../src/config.ts';
import { openRunReceiver } from '../../../src/webhooks/run-receiver.ts';

/** What our runner is pointed at. */
export interface OurAgent {
  readonly url: string;
  readonly token: string | undefined;
  /** Whom the token acts for, where that is not whom the bundle plays. */
  readonly operator?: string;
  /** Where the agent reaches a port of this machine; default: 127.0.0.1. */
  readonly hooks?: { readonly origin: string; readonly port: number };
}

/** The bundle that the status of an agent in a registry is computed from. */
export function ownBundle(): Promise<Bundle> {
  return readBundle(join(import.meta.dirname, '../../../pipelines/storyboards/3.0.0'));
}

/** Our runner with a bundle, as `agent-registry check` runs it. */
export async function ourRun(
  bundle: Bundle,
  { url, token, operator, hooks }: OurAgent,
): Promise<ComplianceRun> {
  const fetcher = composeFetcher(readConfig({}), { connectTo: [] }, systemClock);
  const receiver = await openRunReceiver({ port: 0, clock: systemClock, ...hooks });
  try {
    return await runAgent({
      url,
      bundle,
      fetcher,
      consent: 'operator',
      clock: systemClock,
      trigger: 'manual',
      target: '3.0',
      version: '3.0.0',
      openOrigin: url,
      protocols: ['mcp'],
      testKit: {
        agent_url: 'https://desk.example/agent',
        operator: 'desk.example',
        brand: { domain: 'desk.example' },
      },
      listener: receiver.open().listener,
      ...(operator !== undefined && { operator }),
      ...(token !== undefined && { auth: token }),
    });
  } finally {
    await receiver.close();
    await fetcher.close();
  }
}
