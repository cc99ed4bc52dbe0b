import { generateKeyPairSync } from 'node:crypto';
import type { Sandbox } from '../../../reference-agents/src/sandbox.ts';
import { startSandbox } from '../../../reference-agents/src/start-sandbox.ts';
import { runAgent } from '../../../src/compliance/run/run-agent.ts';
import type { ComplianceRun } from '../../../src/compliance/run-result.ts';
import { type Bundle, readBundle } from '../../../src/compliance/storyboards/bundle.ts';
import { systemClock } from '../../../src/compose/clock.ts';
import { composeFetcher } from '../../../src/compose/network.ts';
import { readConfig } from '../../../src/config.ts';
import type { Protocol } from '../../../src/domain/agent-type.ts';
import { publicJwk, readSigningKey } from '../../../src/signing/private-key.ts';
import type { Jwk } from '../../../src/signing/public-key.ts';
import { createSigningFetch } from '../../../src/signing/sign.ts';

/** Our own bundle. */
export const BUNDLE = new URL('../../../pipelines/storyboards/3.0.0', import.meta.url).pathname;

/** Who the runs below are to the agents: the buyer that the sandbox keeps for its users. */
export const TEST_KIT = {
  agent_url: 'https://desk.example/agent',
  operator: 'desk.example',
  brand: { domain: 'tidewater-kayaks.example' },
} as const;

export interface RunSpec {
  readonly url: string;
  readonly protocol?: Protocol;
  /** Default: the buyer's. */
  readonly token?: string;
  /** Default true. */
  readonly signed?: boolean;
  /** Whom we act for; default: the buyer's operator. */
  readonly operator?: string;
  /** One call, milliseconds. Default 10,000. */
  readonly stepMs?: number;
}

export interface BundleWorld {
  readonly sandbox: Sandbox;
  run(spec: RunSpec): Promise<ComplianceRun>;
  /** The first run of that spec, which is made once. */
  firstRun(spec: RunSpec): Promise<ComplianceRun>;
  close(): Promise<void>;
}

/** A sandbox, and a runner that calls its agents with our own bundle, as `desk.example`, signing what it sends. */
export async function bundleWorld(): Promise<BundleWorld> {
  const jwk = desksKey();
  const sandbox = await startSandbox({ seed: 7, publishers: 20, managed: 5, deskKeys: [publicJwk(jwk)] });
  const { connectTo } = sandbox;
  const fetcher = composeFetcher(readConfig({}), { connectTo }, systemClock);
  const bundle: Bundle = await readBundle(BUNDLE);
  const signing = {
    kind: 'request',
    profile: '3.2',
    clock: systemClock,
    key: await readSigningKey(jwk),
  } as const;
  const run: BundleWorld['run'] = ({
    url,
    protocol,
    token = 'sandbox-desk',
    signed = true,
    stepMs = 10_000,
    operator = TEST_KIT.operator,
  }) =>
    runAgent({
      url,
      bundle,
      fetcher,
      clock: systemClock,
      consent: 'operator',
      trigger: 'manual',
      target: '3.0',
      version: '3.0.0',
      auth: token,
      testKit: { ...TEST_KIT, operator },
      limits: { stepMs },
      ...(signed && { sign: (fetch) => createSigningFetch(fetch, signing) }),
      ...(protocol !== undefined && { protocols: [protocol] }),
    });
  const first = new Map<string, Promise<ComplianceRun>>();
  return {
    sandbox,
    run,
    firstRun(spec) {
      const key = JSON.stringify(spec);
      const made = first.get(key) ?? run(spec);
      first.set(key, made);
      return made;
    },
    async close() {
      await fetcher.close();
      await sandbox.close();
    },
  };
}

/** `storyboard/phase/step check` for each step that failed, with its first failing check. */
export function failuresOf({ steps }: ComplianceRun): readonly string[] {
  return steps
    .filter(({ result }) => result === 'fail')
    .map(({ storyboard_id, phase_id, step_id, checks }) => {
      const check = checks.find(({ result }) => result === 'fail')?.check;
      return `${storyboard_id}/${phase_id}/${step_id} ${check}`;
    });
}

/** Storyboards that were skipped for want of something that the agent should have offered. */
export function gapsOf({ storyboards }: ComplianceRun): readonly string[] {
  return storyboards.filter((one) => one.coverage_gap).map((one) => one.storyboard_id);
}

function desksKey(): Jwk {
  const { kty, crv, x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const use = { alg: 'EdDSA', use: 'sig', key_ops: ['sign'], proto_use: 'request-signing' };
  return { kty, crv, x, d, kid: 'desk-of-a-test', ...use } as Jwk;
}
