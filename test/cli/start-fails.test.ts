import { readdirSync, writeFileSync } from 'node:fs';
import { Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { run, start, tempFolder, tempStore } from './support/cli.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** What no waiting heals: the variable that names a file, and what is in the file; none is there without one. */
const FAULTS = {
  'no tiers file': ['REGISTRY_TIERS'],
  'a broken tiers file': ['REGISTRY_TIERS', 'tiers: 3'],
  'no file of domains': ['REGISTRY_DOMAINS'],
  'no sealing keys': ['REGISTRY_CREDENTIAL_KEYS'],
  'broken sealing keys': ['REGISTRY_CREDENTIAL_KEYS', '{}'],
  'no badge keys': ['REGISTRY_BADGE_KEYS'],
  'no key for tests': ['REGISTRY_TEST_KEY'],
  'no timetable': ['REGISTRY_SCHEDULE'],
  'no certificates': ['REGISTRY_INDEX_CA'],
} as const satisfies Record<string, readonly [variable: string, content?: string]>;
type FaultName = keyof typeof FAULTS;

const FILES = ['no tiers file', 'a broken tiers file', 'no file of domains'] as const;
const KEYS = ['no sealing keys', 'broken sealing keys'] as const;
const AWAY = ['--store', 'postgres://registry@127.0.0.1:1/registry'];

interface Command {
  readonly args: readonly string[];
  readonly faults: readonly FaultName[];
  /** Flags of its own that name no file. */
  readonly flags?: readonly (readonly string[])[];
}

/** Every command that runs until a signal. What it needs of an engine that is away is waited for after its files. */
const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    args: ['serve', '--create', '--port', '0'],
    faults: [...FILES, ...KEYS, 'no badge keys', 'no certificates'],
    flags: [['--ca', 'no-such-file']],
  },
  heartbeat: {
    args: ['heartbeat', '--port', '0'],
    faults: [...FILES, ...KEYS, 'no key for tests', 'no certificates'],
    flags: [['--connect-to-file', 'no-such-file']],
  },
  crawl: { args: ['crawl', '--due'], faults: ['no file of domains', 'no certificates'] },
  work: { args: ['work', '--port', '0', ...AWAY], faults: FILES, flags: [['--ca', 'no-such-file']] },
  schedule: { args: ['schedule', '--port', '0', ...AWAY], faults: ['no timetable'] },
  'match serve': {
    args: ['match', 'serve', '--port', '0', '--metrics-port', '0', '--packages', 'no-such-file'],
    faults: [],
    flags: [
      ['--packages', 'PACKAGES', '--audiences', 'no-such-file'],
      ['--packages', 'PACKAGES', '--store', 'CAPS', '--key-env', 'NO_SUCH_VARIABLE'],
    ],
  },
  'webhooks listen': {
    args: ['webhooks', 'listen'],
    faults: [],
    flags: [
      ['--jwks', 'no-such-file'],
      ['--agent', 'no address'],
      ['--jwks', 'PACKAGES'],
    ],
  },
};

const ROWS = Object.entries(COMMANDS).flatMap(([name, { args, faults, flags = [] }]) => [
  ...faults.map((fault) => ({ name, what: fault as string, args, env: FAULTS[fault] })),
  ...flags.map((more) => ({ name, what: more.join(' '), args: [...args, ...more], env: undefined })),
]);

describe('a command that runs until a signal ends, and never listens, where its start fails for good', () => {
  it.each(ROWS)('$name: $what', async ({ args, env }) => {
    const folder = tempFolder();
    const packages = join(folder, 'packages.json');
    writeFileSync(packages, '{"packages":[]}');
    if (env !== undefined) {
      const [variable, content] = env as readonly [string, string?];
      const file = join(folder, 'file');
      if (content !== undefined) writeFileSync(file, content);
      vi.stubEnv(variable, file);
      // the certificates are read for an OpenSearch only
      if (variable === 'REGISTRY_INDEX_CA') vi.stubEnv('REGISTRY_INDEX', 'https://127.0.0.1:1');
    }
    const listen = vi.spyOn(Server.prototype, 'listen');
    const before = listeners();
    const named: Readonly<Record<string, string>> = {
      PACKAGES: packages,
      CAPS: `sqlite:${join(folder, 'caps.sqlite')}`,
    };
    const given = args.map((arg) => named[arg] ?? arg);
    const { code, stderr } = await run(...given, ...(await storeFor(given)));
    expect([1, 2], stderr).toContain(code);
    expect(stderr).toMatch(/^agent-registry: (?!internal error, please report)/);
    expect(listen).not.toHaveBeenCalled();
    expect(listeners()).toBeLessThanOrEqual(before);
    expect(readdirSync(folder)).not.toContain('caps.sqlite');
  });
});

/** Servers of this process, of the tests before too. */
const listeners = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

/** A store that is there, for the commands that want one and have none. */
async function storeFor(args: readonly string[]): Promise<readonly string[]> {
  if (args.includes('--store') || args[0] === 'webhooks' || args[0] === 'match') return [];
  const store = tempStore();
  const opened = await openStore({ ...readConfig({}), store, index: 'records' }, { create: true });
  await opened.close();
  return ['--store', store];
}

describe('a process whose command has ended', () => {
  it('is gone, whatever the command has left open', async () => {
    const script = join(tempFolder(), 'leaves.mjs');
    const main = new URL('../../src/main.ts', import.meta.url).href;
    writeFileSync(
      script,
      `import { createServer } from 'node:net';\ncreateServer().listen(0, '127.0.0.1');\nawait import('${main}');\n`,
    );
    const { ended } = start(['work', '--store', 'sqlite:none.sqlite'], { script });
    expect((await ended).code).toBe(2);
  });
});
