import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const PEERS = join(import.meta.dirname, '..');
const SDK = join(PEERS, 'node_modules/@adcp/sdk');
/** Beside the packages that they import; made anew in every run, and ignored by git. */
const COPIES = join(PEERS, '.agents');

/** The token that the field's examples take from whoever tests them. */
const HARNESS_TOKEN = 'sk_harness_do_not_use_in_prod';

/** An example agent of the field, with the platform that it sells for. */
export interface FieldAgent {
  readonly name: string;
  readonly port: number;
  readonly token?: string;
  /** The kind of platform, which the field has a model of. */
  readonly upstream?: string;
}

const withUpstream = (name: string, port: number, upstream: string): FieldAgent => ({
  name,
  port,
  token: HARNESS_TOKEN,
  upstream,
});

/** Its ready-made examples that say nothing of a missing platform; the first is the one that its guides begin with. */
export const FIELD_AGENTS: readonly FieldAgent[] = [
  withUpstream('hello_seller_adapter_guaranteed', 3204, 'sales-guaranteed'),
  withUpstream('hello_seller_adapter_non_guaranteed', 3207, 'sales-non-guaranteed'),
  withUpstream('hello_seller_adapter_social', 3203, 'sales-social'),
  { name: 'hello_seller_adapter_multi_tenant', port: 3213, token: HARNESS_TOKEN },
  withUpstream('hello_creative_adapter_ad_server', 3208, 'creative-ad-server'),
  withUpstream('hello_creative_adapter_template', 3202, 'creative-template'),
  withUpstream('hello_signals_adapter_marketplace', 3201, 'signal-marketplace'),
  withUpstream('hello_si_adapter_brand', 3214, 'sponsored-intelligence'),
  { name: 'signals-agent', port: 3001 },
  { name: 'seller-test-controller', port: 3457 },
  { name: 'error-compliant-server', port: 3456 },
];

/** The folder of the public bundle, of its schemas, and its runner's own version. */
export const FIELD_BUNDLE = join(SDK, 'compliance/cache/3.0.6');
export const FIELD_SCHEMAS = join(SDK, 'dist/lib/schemas-data/3.0');

/** Starts an agent, and its platform before it; resolves when it answers. Ends both with `close`. */
export async function startFieldAgent({ name, port, upstream }: FieldAgent) {
  const url = `http://127.0.0.1:${port}/mcp`;
  const children: ChildProcess[] = [];
  const close = async () => {
    for (const child of children) if (child.exitCode === null && child.kill()) await once(child, 'exit');
  };
  const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const child = spawn(process.execPath, args, {
      cwd: PEERS,
      env: { ...process.env, NODE_ENV: 'development', ...env },
      stdio: 'ignore',
    });
    children.push(child);
    return child;
  };
  try {
    const platform = port + 1_000;
    if (upstream !== undefined) {
      start([join(SDK, 'bin/adcp.js'), 'mock-server', upstream, '--port', `${platform}`]);
      await answering(`http://127.0.0.1:${platform}/`);
    }
    mkdirSync(COPIES, { recursive: true });
    copyFileSync(join(SDK, 'examples', `${name}.ts`), join(COPIES, `${name}.ts`));
    start(
      ['--disable-warning=ExperimentalWarning', '--experimental-transform-types', join(COPIES, `${name}.ts`)],
      {
        PORT: `${port}`,
        UPSTREAM_URL: `http://127.0.0.1:${platform}`,
        ADCP_SANDBOX: '1',
      },
    );
    await answering(url);
    return { url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Whatever it answers: it is there. */
async function answering(url: string): Promise<void> {
  for (let tries = 0; tries < 150; tries += 1) {
    const response = await fetch(url).catch(() => undefined);
    await response?.body?.cancel();
    if (response !== undefined) return;
    await pause(100);
  }
  throw new Error(`${url} did not answer in 15 s`);
}
