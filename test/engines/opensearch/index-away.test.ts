import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openRecords } from '../../../src/compose/engines.ts';
import { readConfig } from '../../../src/config.ts';
import { proofPlaces } from '../../../src/domain/ownership.ts';
import type { Records } from '../../../src/ports/records.ts';
import { run, tempFolder, tempStore } from '../../cli/support/cli.ts';
import { prove } from '../../cli/support/served.ts';
import { lightAgents } from '../../pipelines/support/light-agents.ts';
import { startWeb } from '../../scenarios/support/web.ts';

const AGENT = 'https://sales.nova.example/mcp';
const OTHER = 'https://new.nova.example/mcp';
const NOVA = ['--member', 'nova'];
const COMMANDS = new URL('../../../src/cli/commands/', import.meta.url).pathname;

let store: readonly string[];
let connectTo: readonly string[];
let token: string | undefined;

beforeEach(async () => {
  const { pages } = lightAgents({ 'sales.nova.example': {} });
  const file = new URL(proofPlaces(AGENT).fileUrl).pathname;
  const page = pages['sales.nova.example'];
  const web = await startWeb({
    'sales.nova.example': (request, response) =>
      request.url === file ? void response.end(token) : page?.(request, response),
  });
  onTestFinished(() => web.close());
  connectTo = ['--connect-to', web.connectTo];
  const address = tempStore();
  store = ['--store', address];
  const { records } = await openRecords(readConfig({ REGISTRY_STORE: address }), { create: true });
  await records.members.import([{ slug: 'nova', displayName: 'Nova', foundingMember: false }], 1);
  await records.members.register({ agent: AGENT, url: AGENT, member: 'nova' }, 1);
  const bundle = { version: '3.0.9', line: '3.0', digest: 'sha256:0', aliases: [] };
  await records.bundles.add({ ...bundle, vocabulary: 'adcp' }, { kind: 'operator' }, 1);
  await records.bundles.setStage('3.0.9', 'default', { kind: 'operator' }, 1);
  await records.close();
  await prove(store, AGENT, 'nova');
  const challenge = await run('agents', 'challenge', AGENT, ...NOVA, '--json', ...store);
  token = (JSON.parse(challenge.stdout) as { token: string }).token;
});
afterEach(() => vi.unstubAllEnvs());

interface Change {
  /** The file of the command. */
  readonly file: string;
  readonly args: () => readonly string[];
  /** What is kept by it. */
  readonly kept: (records: Records) => Promise<unknown>;
}

function runFile(): string {
  const file = join(tempFolder(), 'runs');
  writeFileSync(
    file,
    JSON.stringify({ agent_url: AGENT, started_at: '2026-01-05T09:00:00Z', status: 'passing' }),
  );
  return file;
}

const lastRuns = ({ compliance }: Records) =>
  compliance.lastRuns(AGENT, { limit: 9 }).then(({ length }) => length > 0);

const CHANGES: Readonly<Record<string, Change>> = {
  register: {
    file: 'agents/register.ts',
    args: () => ['agents', 'register', OTHER, ...NOVA],
    kept: async ({ owners }) => (await owners.registered({ member: 'nova', limit: 9 })).length === 2,
  },
  unregister: {
    file: 'agents/end.ts',
    args: () => ['agents', 'unregister', AGENT, ...NOVA],
    kept: async ({ owners }) => (await owners.registered({ member: 'nova', limit: 9 })).length === 0,
  },
  disown: {
    file: 'agents/end.ts',
    args: () => ['agents', 'disown', AGENT, ...NOVA],
    kept: async ({ owners }) => (await owners.owner(AGENT)) === undefined,
  },
  settings: {
    file: 'agents/settings.ts',
    args: () => ['agents', 'settings', AGENT, '--opt-out'],
    kept: async ({ owners }) => (await owners.settings(AGENT))?.optedOut,
  },
  prove: {
    file: 'agents/prove.ts',
    args: () => ['agents', 'prove', AGENT, ...NOVA, '--dns', '127.0.0.1:1', ...connectTo],
    kept: async ({ owners }) => (await owners.owner(AGENT))?.via === 'file',
  },
  'runs import': {
    file: 'runs/import.ts',
    args: () => ['runs', 'import', runFile()],
    kept: lastRuns,
  },
  'bundles default': {
    file: 'bundles/stage.ts',
    args: () => ['bundles', 'default', '3.0.0'],
    kept: async ({ bundles }) => (await bundles.list()).every(({ stage }) => stage === 'off'),
  },
  'check --record': {
    file: 'check/record.ts',
    args: () => ['check', AGENT, '--record', '--progress', 'none', ...connectTo],
    kept: lastRuns,
  },
};

describe('a command that changed records while the index is away', () => {
  it.each(Object.entries(CHANGES))('%s succeeds, and says that the list follows', async (name, change) => {
    vi.stubEnv('REGISTRY_INDEX', 'http://127.0.0.1:1');
    const { code, stdout, stderr } = await run(...change.args(), ...store);
    // a verdict that is not passing is 1, as without --record
    expect(name === 'check --record' ? [0, 1] : [0], stderr).toContain(code);
    expect(stdout).not.toBe('');
    expect(stderr).toMatch(
      /the change is stored; the list will be updated later: the index at \S+ does not answer/,
    );
    vi.unstubAllEnvs();
    const { records } = await openRecords(readConfig({ REGISTRY_STORE: store[1] }), { create: false });
    expect(await change.kept(records)).toBe(true);
    await records.close();
  });

  it('is each one that keeps something and then brings it into the list', () => {
    const files = readdirSync(COMMANDS, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && readFileSync(join(COMMANDS, file), 'utf8').includes('updateIndex('),
    );
    const tested = new Set(Object.values(CHANGES).map(({ file }) => file));
    expect(files.toSorted()).toEqual([...tested].toSorted());
  });
});
