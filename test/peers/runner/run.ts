/**
 * Runs the field's runner and ours on the same agents, the field's and ours, and holds step against step:
 * `npm run test:peers:runner [-- --bundle PATH agent…]`. PATH is a public bundle, unpacked or as an archive; default: the one of
 * the npm package. Exit code 1 when they agree on fewer than 98 % of the steps that both ran, or when
 * our own bundle calls an example agent of the field failing, when the public bundle has a place where a member that
 * nobody knows is ignored in silence, or when our public shapes and the field's schemas differ on an answer.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startSandbox } from '../../../reference-agents/src/start-sandbox.ts';
import type { ComplianceRun } from '../../../src/compliance/run-result.ts';
import { readBundle } from '../../../src/compliance/storyboards/bundle.ts';
import { readSchemaSet } from '../../../src/protocol/schema-set.ts';
import type { Jwk } from '../../../src/signing/public-key.ts';
import { installPeers } from '../install.ts';
import { AGENTS } from '../steps/lane.ts';
import { FIELD_AGENTS, FIELD_SCHEMAS, startFieldAgent } from './agents.ts';
import { fieldBundle } from './field-bundle.ts';
import { walkMembers } from './members.ts';
import { type OurAgent, ourRun } from './our-runner.ts';
import { compareShapes } from './shapes.ts';
import { tellStandings } from './standings.ts';

type Outcome = 'pass' | 'fail' | 'skipped';
interface FieldStep {
  readonly storyboard: string;
  readonly phase: string;
  readonly step: string;
  readonly result: Outcome;
  readonly reason?: string;
  readonly why: readonly string[];
}

interface Target {
  readonly name: string;
  readonly token?: string;
  readonly operator?: string;
  readonly hooks?: OurAgent['hooks'];
  start(): Promise<Started>;
}

interface Started {
  readonly url: string;
  /** Where it is known only once the agent runs. */
  readonly token?: string;
  close(): Promise<void>;
}

/** Steps on which both have an opinion, and those on which it differs. */
interface Count {
  both: number;
  same: number;
  readonly differing: string[];
}

installPeers((line) => void process.stderr.write(`${line}\n`));
const { values: options, positionals: wanted } = parseArgs({
  options: { bundle: { type: 'string' } },
  allowPositionals: true,
});
const folder = fieldBundle(options.bundle);
const HOOKS_PORT = 3_299;
const HOOKS = 'hooks.desk.example';
const keys = JSON.parse(readFileSync(join(folder, 'test-vectors/request-signing/keys.json'), 'utf8')) as {
  readonly keys: readonly Jwk[];
};
const targets: readonly Target[] = [
  ...FIELD_AGENTS.map((agent) => ({ ...agent, start: () => startFieldAgent(agent) })),
  ...Object.entries(AGENTS).map(([name, url]) => ({
    name: `our ${name}`,
    operator: 'desk.example',
    hooks: { origin: `https://${HOOKS}`, port: HOOKS_PORT },
    start: () => startOwn(new URL(url).host),
  })),
].filter(({ name }) => wanted.length === 0 || wanted.includes(name));

// the field's runner has the schemas of its package only, so both judge by these
const shapes = compareShapes(await readSchemaSet(FIELD_SCHEMAS));
const bundle = await readBundle(folder, shapes.schemas);
process.stdout.write(`bundle ${bundle.version} in ${folder}\n`);
const counts: Count[] = [];
for (const target of targets) counts.push(await compare(target));
const failing = await tellStandings(wanted);
const members = await walkMembers(folder);
const both = counts.reduce((sum, count) => sum + count.both, 0);
const same = counts.reduce((sum, count) => sum + count.same, 0);
const share = both === 0 ? 0 : (100 * same) / both;
process.stdout.write(`${both} steps that both ran, ${same} the same (${share.toFixed(1)} %)\n`);
process.stdout.write(`${failing.length} example agents of the field are failing by our own bundle\n`);
process.stdout.write(
  `${members.looked} kinds of members in the public bundle: ${members.told.length} not known and told, ${members.silent.length} in silence ${members.silent.join(', ')}\n`,
);
const { answers, changed, differing } = shapes.compared();
process.stdout.write(
  `${answers} answers and ${changed} changed ones checked against the field's schemas and our public shapes, ${differing.length} differences\n`,
);
for (const line of differing) process.stdout.write(`    ${line}\n`);
process.exit(
  share >= 98 && failing.length === 0 && members.silent.length === 0 && differing.length === 0 ? 0 : 1,
);

/** One of ours, in a sandbox of its own. */
async function startOwn(host: string): Promise<Started> {
  const { origin, buyers, close } = await startSandbox({
    ...{ seed: 1, vocabulary: 'adcp', publishers: 20, managed: 0 },
    connectTo: [`${HOOKS}=http://127.0.0.1:${HOOKS_PORT}`],
    // the counterparty that the bundle's signed requests play
    deskKeys: keys.keys.map(({ _private_d_for_test_only: _, ...jwk }) => jwk),
  });
  return { url: `${origin}/@${host}/mcp`, token: buyers.at(-1)?.token ?? '', close };
}

/** Each runner finds the agent as it starts: what the other one made there would change what it answers. */
async function compare(target: Target): Promise<Count> {
  const { name, operator, hooks } = target;
  const run = await fresh(target, ({ url, token }) =>
    ourRun(bundle, {
      ...{ url, token },
      ...(operator !== undefined && { operator }),
      ...(hooks && { hooks }),
    }),
  );
  const theirs = await fresh(target, ({ url, token }) => fieldRun(url, { token, operator }, run));
  if (process.env.PEERS_OUT !== undefined)
    writeFileSync(join(process.env.PEERS_OUT, `${name}.json`), JSON.stringify({ run, theirs }, null, 1));
  const count = held(run, theirs);
  process.stdout.write(
    `${name.padEnd(38)} ${count.both} both, ${count.same} the same; ours ${told(run.steps)}, theirs ${told(theirs)}\n`,
  );
  for (const line of count.differing) process.stdout.write(`    ${line}\n`);
  return count;
}

async function fresh<Outcome>(
  target: Target,
  use: (agent: { readonly url: string; readonly token: string | undefined }) => Promise<Outcome>,
): Promise<Outcome> {
  const { url, token = target.token, close } = await target.start();
  try {
    return await use({ url, token });
  } finally {
    await close();
  }
}

function told(steps: readonly { readonly result: Outcome }[]): string {
  const of = (result: Outcome) => steps.filter((step) => step.result === result).length;
  return `${of('pass')}/${of('fail')}/${of('skipped')}`;
}

function held({ steps }: ComplianceRun, theirs: readonly FieldStep[]): Count {
  const count: Count = { both: 0, same: 0, differing: [] };
  const ours = new Map(steps.map((one) => [`${one.storyboard_id}/${one.phase_id}/${one.step_id}`, one]));
  for (const { storyboard, phase, step, ...their } of theirs) {
    const key = `${storyboard}/${phase}/${step}`;
    const our = ours.get(key);
    // a failure in an optional phase is none for the whole, and a verdict on the step all the same
    const verdict = our?.tried === true ? 'fail' : our?.result;
    if (verdict === undefined || verdict === 'skipped' || their.result === 'skipped') continue;
    count.both += 1;
    if (verdict === their.result) count.same += 1;
    else {
      const why =
        verdict === 'fail'
          ? our?.checks.filter((one) => one.result === 'fail').map((one) => one.message)
          : their.why;
      count.differing.push(
        `${key}: ours ${verdict}, theirs ${their.result}: ${(why ?? []).join('; ').replaceAll(/\s+/g, ' ').slice(0, 400)}`,
      );
    }
  }
  return count;
}

async function fieldRun(
  url: string,
  { token, operator }: { readonly token: string | undefined; readonly operator: string | undefined },
  { agent }: ComplianceRun,
): Promise<readonly FieldStep[]> {
  const order = {
    url,
    token,
    operator,
    // ours all declare it, and the field's examples do not verify
    ...(operator !== undefined && { policy: 'required' }),
    protocol: 'mcp',
    supported_protocols: agent?.supported_protocols ?? [],
    specialisms: agent?.specialisms ?? [],
  };
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'field-runner.mjs'), JSON.stringify(order)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      // its option for another bundle than its own
      env: { ...process.env, ADCP_COMPLIANCE_DIR: folder },
    },
  );
  let text = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part) => {
    errors += part;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the field's runner ended with ${code}: ${errors.slice(-500)}`);
  return text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as FieldStep);
}
