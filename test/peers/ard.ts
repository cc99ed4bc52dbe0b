import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { PYTHON } from './install.ts';
import type { Row } from './peer.ts';
import { serveDemoVendors } from './serve-demo-vendors.ts';

const run = promisify(execFile);
/** Where the suite looks for the schema of an entry. */
const SCHEMA = '../../spec/schemas/ard-entry.schema.json';
const CLEAN = 'Validated with 0 critical specification errors and 0 warnings.';

/**
 * Runs `conformance-test` of the repository of ARD, as it is, against a registry that has crawled the vendors of the demo: as a
 * publisher of entries, with every entry of its list as a manifest, and as a registry. Right is what it finds no error and no
 * warning in. It checks schemas with a package of Python; without the schema beside it, it runs without packages.
 */
export async function runArdSuite(path: string): Promise<readonly Row[]> {
  const suite = resolve(path);
  const registry = await serveDemoVendors();
  const folder = await mkdtemp(join(tmpdir(), 'ard-'));
  const all = join(folder, 'ard.json');
  const list = await fetch(`${registry.url}/api/ard/agents?pageSize=100`);
  const { items } = (await list.json()) as { readonly items: readonly object[] };
  await writeFile(all, JSON.stringify({ entries: items }));
  const packages = existsSync(join(dirname(suite), SCHEMA)) ? [] : ['-S'];
  const asked: Readonly<Record<string, readonly [string, string]>> = {
    'as a publisher': ['publisher', registry.url],
    [`its ${items.length} entries`]: ['manifest', all],
    'as a registry': ['registry', `${registry.url}/api/ard`],
  };
  const rows: Row[] = [];
  for (const [task, order] of Object.entries(asked)) {
    const said = await run(PYTHON, [...packages, suite, ...order]).then(({ stdout }) => stdout, saidBy);
    const right = said.includes(CLEAN) && items.length > 0;
    rows.push({ client: 'ard', transport: 'suite', task, verdict: right ? 'clean' : said, right });
  }
  await rm(folder, { recursive: true });
  await registry.close();
  return rows;
}

/** The output of a program that ended with another code than 0. */
function saidBy(error: unknown): string {
  return String((error as { readonly stdout?: unknown }).stdout ?? error);
}
