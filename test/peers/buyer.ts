import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Peer, Row } from './peer.ts';
import { serveRegistry } from './serve-registry.ts';
import { RIGHT } from './vendors.ts';

/** What the buyer's question came to: vendors that are accredited and alive, one of them in full, and how often it was asked. */
interface Bought {
  readonly vendors: readonly string[];
  readonly shown: string;
  readonly calls: number;
}

interface BuyerReply {
  readonly ok: boolean;
  readonly data?: Bought;
  readonly error?: string;
}

const MOST_CALLS = 3;
const PROGRAM = join(import.meta.dirname, '../../bin/agent-registry.mjs');
/** Parameters of the list; the clients can send some of them, and choose by the rest. */
const ASKED = { accreditation: 'MRC', q: 'view', same_metric: 'true', accreditation_valid: 'true' };

/**
 * The buyer's question, by a client of the field: which vendor is accredited by MRC for viewability and alive, and one of them in
 * full. With the Python client it is also asked over HTTP and on the command line.
 */
export async function runBuyer(client: 'python' | 'javascript', peer: Peer): Promise<readonly Row[]> {
  const registry = await serveRegistry();
  const { url, store, key } = registry;
  const asked = peer as unknown as Peer<object, BuyerReply>;
  const ways: Record<string, () => BuyerReply | Promise<BuyerReply>> = {
    [client]: () => asked.call({ buyer: { url, key, body: 'MRC', topic: 'view', day: '2027-01-20' } }),
    ...(client === 'python' && { curl: () => overHttp(url), 'command line': () => onCommandLine(store) }),
  };
  const rows: Row[] = [];
  for (const [way, ask] of Object.entries(ways)) {
    const reply = await Promise.resolve()
      .then(ask)
      .catch((error: unknown) => ({ ok: false, error: String(error) }));
    const verdict = verdictOf(reply);
    rows.push({
      ...{ client, transport: 'question', task: `the buyer's, by ${way}` },
      ...{ verdict, right: verdict === 'answered' },
    });
  }
  await registry.close();
  return rows;
}

function verdictOf({ ok, data, error = '' }: BuyerReply): string {
  if (!ok || data === undefined) return error;
  const { vendors, shown, calls } = data;
  if (calls > MOST_CALLS) return `${calls} calls`;
  return vendors.join() === RIGHT && shown === RIGHT ? 'answered' : `${vendors.join()}; shown ${shown}`;
}

async function overHttp(url: string): Promise<BuyerReply> {
  const read = async (path: string) => (await fetch(`${url}${path}`)).json() as Promise<AnyAgent & Found>;
  const query = new URLSearchParams({ ...ASKED, health: 'true' });
  const { agents } = await read(`/api/registry/agents?${query}`);
  const vendors = aliveAmong(agents);
  const shown = await read(`/api/registry/agents/${encodeURIComponent(vendors[0] ?? '')}`);
  return { ok: true, data: { vendors, shown: shown.url, calls: 2 } };
}

function onCommandLine(store: string): BuyerReply {
  const run = (...words: readonly string[]) => {
    const asked = [PROGRAM, ...words, '--store', store, '--json'];
    const { stdout, stderr } = spawnSync(process.execPath, asked, { encoding: 'utf8' });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as AnyAgent & Found;
  };
  const flags = ['--accreditation', 'MRC', '--q', 'view', '--same-metric', '--accreditation-valid'];
  const vendors = aliveAmong(run('search', ...flags, '--health').agents);
  const shown = run('show', vendors[0] ?? '');
  return { ok: true, data: { vendors, shown: shown.url, calls: 2 } };
}

interface AnyAgent {
  readonly url: string;
  readonly health?: { readonly online: boolean };
}

interface Found {
  readonly agents: readonly AnyAgent[];
}

function aliveAmong(agents: readonly AnyAgent[]): readonly string[] {
  return agents.filter(({ health }) => health?.online === true).map(({ url }) => url);
}
