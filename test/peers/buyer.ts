import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PYTHON } from './install.ts';
import type { Row } from './peer.ts';
import { serveDemoVendors } from './serve-demo-vendors.ts';
import { serveRegistry } from './serve-registry.ts';
import { holds, madeCalls } from './transcript.ts';
import { OFFLINE, RIGHT, WRONG } from './vendors.ts';

const ROOT = join(import.meta.dirname, '../..');
const GUIDE = join(ROOT, 'docs/guides/find-agents.md');
const SECTION = '## Find an accredited vendor';
/** The registry of the guide. */
const THERE = 'https://registry.example';
const MOST_CALLS = 3;
const run = promisify(execFile);

/** The ways of the guide in its order: how its lines are run, and what they say of the vendor, and of it in full. */
const WAYS: readonly Way[] = [
  {
    name: 'the command line',
    run: runLines,
    says: ['  online', 'viewable_rate  MRC until 2033-06-30', '  last check:', '  capabilities:'],
    isOffline: (url) => new RegExp(`${url} .*  offline`),
  },
  {
    name: 'curl',
    run: runLines,
    says: [
      '"online":true',
      '"matched_metrics":[{"metric_id":"viewable_rate","accrediting_body":"MRC","valid_until":"2033-06-30","valid":true,',
      '"provenance":',
    ],
    isOffline: (url) => new RegExp(`"url":"${url}".*?"online":false`),
  },
  {
    name: 'python',
    run: (code) => ({ command: PYTHON, args: ['-c', code] }),
    says: [`${RIGHT} viewable_rate MRC 2033-06-30`, `'agent_url': '${RIGHT}'`],
  },
  {
    name: 'javascript',
    run: (code) => ({ command: process.execPath, args: ['--input-type=module', '--eval', code] }),
    says: [`${RIGHT} viewable_rate MRC 2033-06-30`, `agent_url: '${RIGHT}'`],
  },
];

interface Way {
  readonly name: string;
  readonly run: (code: string) => { readonly command: string; readonly args: readonly string[] };
  readonly says: readonly string[];
  /** How a vendor that does not answer is marked; absent: it is left out. */
  readonly isOffline?: (url: string) => RegExp;
}

/** A registry that is asked, and how many requests it was sent. */
interface Asked {
  readonly url: string;
  readonly store: string;
  requests(): number;
}

/**
 * The buyer's question: which vendor is accredited by MRC for viewability and alive, and one of them in full. It is asked by
 * the lines of our guide as they stand there, and over MCP by the calls of a transcript, of the vendors of the demo, and of vendors of which each but one is wrong in one way.
 */
export async function runBuyer(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const codes = fencesOf(readFileSync(GUIDE, 'utf8'));
  if (codes.length !== WAYS.length) throw new Error(`${codes.length} ways are in the guide`);
  for (const [about, open] of Object.entries({ demo: serveDemoVendors, 'wrong ones': serveRegistry })) {
    const registry = await open();
    for (const [at, way] of WAYS.entries()) {
      const verdict = await answerOf(way, codes[at] ?? '', registry).catch(String);
      rows.push({
        ...{ client: 'guide', transport: 'question', task: `the buyer's, by ${way.name} (${about})` },
        ...{ verdict, right: verdict === 'answered' },
      });
    }
    for (const { name, said, answer } of await madeCalls(registry.url)) {
      const right = holds(answer, said);
      const task = `the buyer's over MCP, ${name} (${about})`;
      const verdict = right ? 'answered' : JSON.stringify(answer).slice(0, 1_000);
      rows.push({ client: 'guide', transport: 'question', task, verdict, right });
    }
    await registry.close();
  }
  return rows;
}

async function answerOf(way: Way, code: string, { url, store, requests }: Asked): Promise<string> {
  const before = requests();
  const { command, args } = way.run(code.replaceAll(THERE, url));
  const env = { ...process.env, REGISTRY_STORE: store };
  const { stdout } = await run(command, args, { cwd: import.meta.dirname, env, maxBuffer: 16 * 1024 * 1024 });
  const calls = requests() - before + (code.match(/^agent-registry /gm)?.length ?? 0);
  if (calls === 0 || calls > MOST_CALLS) return `${calls} calls`;
  const missing = way.says.filter((text) => !stdout.includes(text));
  const isTold = (vendor: string) => vendor === OFFLINE && way.isOffline?.(vendor).test(stdout) === true;
  const wrong = WRONG.filter((vendor) => stdout.includes(vendor) && !isTold(vendor));
  if (missing.length + wrong.length === 0) return 'answered';
  return `without ${missing.join('; ')}; with ${wrong.join()}: ${stdout.slice(0, 1_000)}`;
}

/** As a shell runs them, with the program of this checkout. */
function runLines(code: string) {
  const program = join(ROOT, 'bin/agent-registry.mjs');
  const lines = `set -euo pipefail\nagent-registry() { '${process.execPath}' '${program}' "$@"; }\n${code}`;
  return {
    command: 'bash',
    args: ['-c', lines.replaceAll(/^curl /gm, 'curl --silent --show-error --fail ')],
  };
}

/** The code of the section, block by block. */
function fencesOf(guide: string): readonly string[] {
  const [, behind = ''] = guide.split(`${SECTION}\n`);
  const [section = ''] = behind.split('\n## ');
  return [...section.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, code = '']) => code);
}
