import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SETTINGS, variablesOf } from '../../src/config.ts';
import { mountsOf, ourServices, ROOT, readComposeFile } from './support/compose-file.ts';
import { parseOnly } from './support/parse-only.ts';

const file = readComposeFile();
const { services } = file;
const ours = ourServices(file);
const listening = ours.filter(([, { command = [] }]) => command.includes('--port'));
const longRunning = Object.entries(services).filter(([, { restart }]) => restart !== 'no');

describe('the compose file', () => {
  it('follows the public schema', () => {
    const schema = JSON.parse(
      readFileSync(join(import.meta.dirname, 'compose-spec/compose-spec.json'), 'utf8'),
    );
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
    const { $schema: _draft, ...body } = schema; // written as https, which ajv does not know
    const validate = ajv.compile(body);
    validate(file);
    expect(validate.errors ?? []).toEqual([]);
  });

  it('passes every setting of the program', () => {
    const passed = new Set(ours.flatMap(([, { environment = {} }]) => Object.keys(environment)));
    const missing = Object.values(SETTINGS).filter(
      (setting) => !variablesOf(setting).some((variable) => passed.has(variable)),
    );
    expect(missing.map(({ env }) => env)).toEqual([]);
  });

  it('has a health check and a restart policy for every service that stays', () => {
    for (const [name, { healthcheck, restart, build, image }] of longRunning) {
      expect(restart, name).toBe('unless-stopped');
      if (build === undefined && !image.startsWith('agent-registry:'))
        expect(healthcheck, name).toBeDefined();
    }
  });

  it('mounts only files and volumes that there are', () => {
    for (const service of Object.values(services)) {
      for (const { source } of mountsOf(service)) {
        if (source.startsWith('./')) expect(statSync(join(ROOT, source)).isFile(), source).toBe(true);
        else expect(Object.keys(file.volumes)).toContain(source);
      }
    }
  });

  it('keeps what OpenSearch writes beside its configuration for one version', () => {
    const version = /:([\d.]+)@/.exec(services.opensearch?.image ?? '')?.[1];
    const config = mountsOf(services.opensearch ?? expect.fail()).find(({ target }) =>
      target.endsWith('/config'),
    );
    expect(config?.source).toBe(`opensearch-config-${version}`);
  });

  it('lets nobody outside reach the engines, and them reach nobody', () => {
    expect(file.networks.engines).toEqual({ internal: true });
    for (const name of ['postgres', 'opensearch']) {
      expect(services[name]?.networks).toEqual(['engines']);
      expect(services[name]?.ports).toBeUndefined();
    }
    expect(services.api?.ports).toEqual([expect.stringContaining('127.0.0.1:8080')]);
  });
});

describe('our services', () => {
  it('are the API, the scheduler, at least two workers, and who writes exports', () => {
    expect(ours.map(([name]) => name)).toEqual(['api', 'scheduler', 'worker', 'exports']);
    expect(listening.map(([name]) => name)).toEqual(['api', 'scheduler', 'worker']);
    expect(services.worker?.deploy.replicas).toBeGreaterThanOrEqual(2);
  });

  it.each([...ours, ['schema', services.schema ?? expect.fail()] as const])(
    '%s starts a command that the program knows',
    async (_name, { command = [] }) => {
      await expect(parseOnly(command)).resolves.toBeUndefined();
    },
  );

  it('use the role that is made, and has its rights', () => {
    const [role] = services.schema?.command?.slice(-1) ?? [];
    for (const script of ['make-roles.sh', 'make-secrets.sh'])
      expect(readFileSync(join(ROOT, 'deploy/compose', script), 'utf8'), script).toContain(role);
  });

  it('would be refused with a command or an option that there is not', async () => {
    await expect(parseOnly(['serves'])).rejects.toThrow('unknown command');
    await expect(parseOnly(['serve', '--ports', '1'])).rejects.toThrow('unknown option');
  });

  it.each(listening)('%s is asked for its health on the port that it listens on', (_name, service) => {
    const { command = [], healthcheck } = service;
    const port = command[command.indexOf('--port') + 1];
    const url = healthcheck?.test.at(-1) ?? dockerfileHealthUrl();
    expect(new URL(url).port).toBe(port);
  });

  it.each(ours)('%s sets only variables that the program reads', (_name, { environment = {} }) => {
    const known = Object.values(SETTINGS).flatMap(variablesOf);
    const set = Object.keys(environment).filter((name) => name.startsWith('REGISTRY_'));
    expect(set.filter((name) => !known.includes(name))).toEqual([]);
  });

  it.each(ours)('%s finds in its volumes the files that its settings name', (_name, service) => {
    const paths = Object.values(service.environment ?? {}).filter((value) => value?.startsWith('/run/'));
    const made = ['make-secrets.sh', 'make-keys.sh'].map((name) =>
      readFileSync(join(ROOT, 'deploy/compose', name), 'utf8'),
    );
    expect(paths.length).toBeGreaterThanOrEqual(3);
    for (const path of paths) {
      const [folder = '', file] = [dirname(path ?? ''), basename(path ?? '')];
      const { source } = mountsOf(service).find(({ target }) => target === folder) ?? {};
      expect(source, path ?? '').toMatch(/-(secrets|keys)$/);
      expect(made.some((text) => text.includes(`/${file}"`) && text.includes(basename(folder)))).toBe(true);
    }
  });
});

describe('the exports', () => {
  const folderOf = (name: string) => services[name]?.environment?.REGISTRY_EXPORTS ?? expect.fail(name);

  it('are written by one service, and handed out by the API, which cannot change them', () => {
    const readers = Object.entries(services).flatMap(([name, service]) =>
      mountsOf(service)
        .filter(({ source }) => source === 'exports')
        .map(({ target, isReadOnly }) => [name, target, isReadOnly]),
    );
    expect(readers).toEqual([
      ['secrets', '/secrets/exports', false],
      ['api', folderOf('api'), true],
      ['exports', folderOf('exports'), false],
    ]);
    expect(services.exports?.healthcheck?.test.at(-1)).toContain(`find ${folderOf('exports')} `);
  });

  it('are in a folder that is given to the user of the program', () => {
    const script = readFileSync(join(ROOT, 'deploy/compose/make-secrets.sh'), 'utf8');
    expect(script).toMatch(/^chown "\$registry_user" .*[{,]exports[,}]/m);
  });
});

describe('what runs every day', () => {
  const script = join(ROOT, 'deploy/compose/every-day.sh');
  /** A folder whose `node` and `sleep` say what they are called with; `sleep` ends at once, as often as wanted. */
  const opened = (nodeCode: number) => {
    const folder = mkdtempSync(join(tmpdir(), 'every-day-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const said = join(folder, 'said');
    const tool = (name: string, code: string) =>
      writeFileSync(join(folder, name), `#!/bin/bash\necho ${name} "$@" >> ${said}\n${code}\n`, {
        mode: 0o755,
      });
    tool('node', `exit ${nodeCode}`);
    tool(
      'sleep',
      '[ "$(grep -c ^sleep "$0.count" 2> /dev/null)" = 1 ] && exec /bin/sleep 60; echo sleep >> "$0.count"',
    );
    return { folder, lines: () => readFileSync(said, 'utf8').trimEnd().split('\n') };
  };

  it.each([
    [0, 86_400],
    [1, 3_600],
  ])(
    'runs again after a run that ended with %i, %i seconds later, and ends when it is told to',
    async (code, pause) => {
      const { folder, lines } = opened(code);
      const child = spawn('bash', [script, 'export'], {
        env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
      });
      await vi.waitUntil(() => existsSync(join(folder, 'said')) && lines().length >= 4, 20_000);
      child.kill('SIGTERM');
      const [ended] = await once(child, 'exit');
      expect(ended).toBe(0);
      const run = 'node /app/bin/agent-registry.mjs export';
      expect(lines()).toEqual([run, `sleep ${pause}`, run, `sleep ${pause}`]);
    },
  );
});

function dockerfileHealthUrl(): string {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  return /HEALTHCHECK[\s\S]*?"(http[^"]+)"/.exec(text)?.[1] ?? '';
}
