import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { decideChange } from '../../src/compliance/decide.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { composeCredentials } from '../../src/compose/credentials.ts';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import type { Credentials } from '../../src/owners/credentials.ts';
import type { Records } from '../../src/ports/records.ts';
import { makeSealingKeys } from '../../src/signing/sealing-keys.ts';
import { startRegistry } from '../engines/support/registry-process.ts';
import { withScratchFolder } from './scratch.ts';

export interface HeartbeatInput {
  /** Each is owned, due, and has a test credential. */
  readonly agents: readonly string[];
  readonly connectTo: readonly string[];
}

export interface HeartbeatCost {
  readonly runs: number;
  readonly passing: number;
  readonly wallMs: number;
  readonly peakRssMiB: number;
}

const MEMBER = 'owner';
const TOKEN = 'sandbox-desk';

/** One `agent-registry heartbeat --once` over agents that are all due, as many at the same time; its memory as Linux counts it. */
export function measureHeartbeat({ agents, connectTo }: HeartbeatInput): Promise<HeartbeatCost> {
  return withScratchFolder(async (folder) => {
    const settings = {
      REGISTRY_STORE: `sqlite:${join(folder, 'registry.sqlite')}`,
      REGISTRY_CREDENTIAL_KEYS: join(folder, 'keys.json'),
      REGISTRY_RUN_CONCURRENCY: String(agents.length),
      REGISTRY_LOG_LEVEL: 'warn',
    };
    const config = readConfig(settings);
    await makeSealingKeys(settings.REGISTRY_CREDENTIAL_KEYS, Date.now());
    const store = await openStore(config, { create: true });
    const credentials = await composeCredentials(config, store.records, systemClock);
    await ownAll(agents, store.records, credentials);
    const network = connectTo.flatMap((mapping) => ['--connect-to', mapping]);
    const begun = performance.now();
    const child = startRegistry(['heartbeat', '--once', ...network], settings);
    const peakRssMiB = await watch(child.pid);
    const wallMs = performance.now() - begun;
    await child.stop();
    const told = await Promise.all(
      agents.map((agent) => store.records.compliance.lastRuns(agent, { limit: 9 })),
    );
    await store.close();
    const runs = told.flat();
    const passing = runs.filter(({ verdict }) => verdict.status === 'passing').length;
    return { runs: runs.length, passing, wallMs, peakRssMiB };
  });
}

async function ownAll(
  agents: readonly string[],
  { members, owners, compliance }: Records,
  credentials: Credentials,
): Promise<void> {
  const now = Date.now();
  await members.import([{ slug: MEMBER, displayName: 'Owner', foundingMember: false }], now);
  for (const agent of agents) {
    await members.register({ agent, url: agent, member: MEMBER }, now);
    const asked = { agent, member: MEMBER, token: 'proof of control', expiresAt: now + 60_000 };
    const { token } = await owners.challenge(asked, now);
    await owners.prove({ agent, member: MEMBER, token, via: 'dns' }, now);
    await credentials.keep({ agent, token: TOKEN, actor: { kind: 'operator', member: MEMBER } });
    await compliance.reconsider(agent, decideChange({ now }), now);
  }
}

/** Until the process has ended: the most memory that it ever had, MiB. */
async function watch(pid: number): Promise<number> {
  let peak = 0;
  for (;;) {
    const kib = peakKib(pid);
    if (kib === undefined) return peak / 1_024;
    peak = Math.max(peak, kib);
    await pause(50);
  }
}

function peakKib(pid: number): number | undefined {
  try {
    const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found === null ? undefined : Number(found[1]);
  } catch {
    return undefined; // it has ended
  }
}
