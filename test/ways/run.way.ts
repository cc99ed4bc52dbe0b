import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { heartbeat } from '../../pipelines/heartbeat.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { composeCredentials } from '../../src/compose/credentials.ts';
import { openStore } from '../../src/compose/engines.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { composeRuns } from '../../src/compose/runs.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { createLog } from '../../src/ops/log.ts';
import { makeSealingKeys } from '../../src/signing/sealing-keys.ts';
import { filesThatRun, type Way } from './files-that-run.ts';
import type { MeasuredWay } from './run.ts';

/** Two sellers that pass, each owned by a member that badges are for: the first one warms up. */
const WARM_UP = 'https://sales-1.agents.example/mcp';
const AGENT = 'https://sales-2.agents.example/mcp';
const MEMBER = {
  ...{ slug: 'tidewater', displayName: 'Tidewater', foundingMember: false },
  ...{ tier: 'builder', subscriptionStatus: 'active' },
};
/** What the sandbox lets its users' buyer in with. */
const TOKEN = 'sandbox-desk';
const ACTOR = { kind: 'operator', member: MEMBER.slug } as const;

/** A heartbeat that tests one agent whose time has come, with its stored credential, and keeps the run and its badge. */
export const way: MeasuredWay = { name: 'a kept run with its badge', bound: 130, measure };

async function measure(): Promise<Way> {
  const folder = await mkdtemp(join(tmpdir(), 'registry-way-'));
  const sandbox = await startSandbox();
  const credentialKeys = join(folder, 'credential-keys.json');
  const config: Config = { ...readConfig({}), store: 'sqlite::memory:', credentialKeys };
  await makeSealingKeys(credentialKeys, systemClock.now());
  const store = await openStore(config, { create: true });
  const fetcher = composeFetcher(config, { connectTo: sandbox.connectTo }, systemClock);
  try {
    const { records, index } = store;
    const credentials = await composeCredentials(config, records, systemClock);
    const log = createLog({ level: 'warn', pretty: false });
    const { signal } = new AbortController();
    const runs = await composeRuns({ config, records, fetcher, clock: systemClock, log, signal });
    const beat = () => heartbeat({ runs, indexer: { records, index, rederive: deriveStored }, once: true });
    await records.members.import([MEMBER], systemClock.now());
    await own(WARM_UP);
    await beat();
    await own(AGENT);
    const files = await filesThatRun(beat);
    const badges = (await records.compliance.state(AGENT))?.badges ?? [];
    if (badges.length === 0) throw new Error('the run earned no badge');
    return files;

    async function own(agent: string): Promise<void> {
      const [member, now] = [MEMBER.slug, systemClock.now()];
      await records.members.register({ agent, url: agent, member }, now);
      const wanted = { agent, member, token: `proof of ${agent}`, expiresAt: now + 60_000 };
      const { token } = await records.owners.challenge(wanted, now);
      await records.owners.prove({ agent, member, token, via: 'dns' }, now);
      await credentials.keep({ agent, token: TOKEN, actor: ACTOR });
    }
  } finally {
    await fetcher.close();
    await store.close();
    await sandbox.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Its agents answer in a process of their own, so that what runs here is the registry's. */
async function startSandbox() {
  const program = join(import.meta.dirname, '../../bin/agent-registry.mjs');
  const flags = ['--port', '0', '--seed', '1', '--state', 'sqlite::memory:', '--json'];
  const child = spawn(process.execPath, [program, 'sandbox', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill();
    await ended;
  };
  let output = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    output += chunk;
    if (!output.endsWith('}\n')) continue;
    const { connect_to: connectTo } = JSON.parse(output) as { readonly connect_to: readonly string[] };
    return { connectTo, stop };
  }
  await ended;
  throw new Error('the sandbox ended before it began');
}
