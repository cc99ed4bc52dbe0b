import { agentKey, type Fetcher } from '@agent-registry/surface/agent-kit';
import {
  type Config,
  composeCredentials,
  makeSealingKeys,
  type Store,
  systemClock,
} from '@agent-registry/surface/registry';
import { DEMO_MEMBERS, OWNED_AGENTS } from './members.ts';
import { ownAgent } from './own-agent.ts';

interface OwnParts {
  readonly config: Config;
  readonly store: Store;
  readonly fetcher: Fetcher;
  /** The folder of what the sandbox publishes under `/.well-known/`. */
  readonly wellKnown: string;
}

/** Imports the members, proves to each its agents, and stores the test credentials that they have. */
export async function ownDemoAgents({ config, store, fetcher, wellKnown }: OwnParts): Promise<void> {
  const { records } = store;
  await makeSealingKeys(config.credentialKeys, systemClock.now());
  const credentials = await composeCredentials(config, records, systemClock);
  await records.members.import(DEMO_MEMBERS, systemClock.now());
  for (const { token, isPaused, ...registration } of OWNED_AGENTS) {
    await ownAgent(registration, { records, fetcher, clock: systemClock, wellKnown });
    const agent = agentKey(registration.url);
    const actor = { kind: 'operator', member: registration.member } as const;
    if (token !== undefined) await credentials.keep({ agent, token, actor });
    const paused = { agent, change: { monitoringPaused: true }, actor };
    if (isPaused) await records.owners.changeSettings(paused, systemClock.now());
  }
}
