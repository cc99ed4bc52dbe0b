import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { SETTINGS, variablesOf } from '../../src/config.ts';
import { ourServices, ROOT, readComposeFile, type Service } from './support/compose-file.ts';
import { parseOnly } from './support/parse-only.ts';

const file = readComposeFile();
const { services } = file;
const ours = ourServices(file);
const longRunning = Object.entries(services).filter(([name]) => name !== 'secrets');

/** The named volumes of a service, with where they are and how. */
function volumesOf({ volumes = [] }: Service): { source: string; target: string; isReadOnly: boolean }[] {
  return volumes.map((volume) => {
    const [source = '', target = '', mode] = volume.split(':');
    return { source, target, isReadOnly: mode === 'ro' };
  });
}

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

  it('pins every image that others make', () => {
    for (const [name, { image }] of Object.entries(services)) {
      if (image.startsWith('agent-registry:')) continue;
      expect(image, name).toMatch(/:\d+\.\d+/);
    }
  });

  it('has a memory limit for every service, and a health check and a restart policy for those that stay', () => {
    for (const [name, { deploy }] of Object.entries(services))
      expect(deploy.resources.limits.memory, name).toMatch(/^\d+[mg]$/);
    for (const [name, { healthcheck, restart, build, image }] of longRunning) {
      expect(restart, name).toBe('unless-stopped');
      if (build === undefined && !image.startsWith('agent-registry:'))
        expect(healthcheck, name).toBeDefined();
    }
  });

  it('starts nothing before what it needs is well', () => {
    for (const [name, { depends_on: needs = {} }] of longRunning)
      expect(needs.secrets, name).toEqual({ condition: 'service_completed_successfully' });
    for (const [name, { depends_on: needs = {} }] of ours) {
      expect(needs, name).toMatchObject({
        postgres: { condition: 'service_healthy' },
        opensearch: { condition: 'service_healthy' },
      });
    }
  });

  it('mounts only files and volumes that there are', () => {
    for (const service of Object.values(services)) {
      for (const { source } of volumesOf(service)) {
        if (source.startsWith('./')) expect(statSync(join(ROOT, source)).isFile(), source).toBe(true);
        else expect(Object.keys(file.volumes)).toContain(source);
      }
    }
  });

  it('gives each secret to its only reader, who cannot change it', () => {
    const readers = Object.entries(services).flatMap(([name, service]) =>
      volumesOf(service)
        .filter(({ source }) => source.endsWith('-secrets'))
        .map(({ source, isReadOnly }) => `${name} ${isReadOnly ? 'reads' : 'writes'} ${source}`),
    );
    expect(readers.toSorted()).toEqual([
      'api reads registry-secrets',
      'opensearch reads opensearch-secrets',
      'postgres reads postgres-secrets',
      'scheduler reads registry-secrets',
      'secrets writes opensearch-secrets',
      'secrets writes postgres-secrets',
      'secrets writes registry-secrets',
      'worker reads registry-secrets',
    ]);
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
  it('are the API, the scheduler and at least two workers', () => {
    expect(ours.map(([name]) => name)).toEqual(['api', 'scheduler', 'worker']);
    expect(services.worker?.deploy.replicas).toBeGreaterThanOrEqual(2);
  });

  it('run without rights on a read-only root', () => {
    for (const [name, service] of ours)
      expect([service.read_only, service.cap_drop], name).toEqual([true, ['ALL']]);
  });

  it.each(ours)('%s starts a command that the program knows', async (_name, { command = [] }) => {
    await expect(parseOnly(command)).resolves.toBeUndefined();
  });

  it('would be refused with a command or an option that there is not', async () => {
    await expect(parseOnly(['serves'])).rejects.toThrow('unknown command');
    await expect(parseOnly(['serve', '--ports', '1'])).rejects.toThrow('unknown option');
  });

  it.each(ours)('%s is asked for its health on the port that it listens on', (_name, service) => {
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

  it.each(ours)('%s finds in its volume the files that its settings name', (_name, service) => {
    const paths = Object.values(service.environment ?? {}).filter((value) => value?.startsWith('/run/'));
    const { target = '' } = volumesOf(service).find(({ source }) => source === 'registry-secrets') ?? {};
    const made = readFileSync(join(ROOT, 'deploy/compose/make-secrets.sh'), 'utf8');
    expect(paths.length).toBe(3);
    for (const path of paths) expect(made).toContain(`$secrets/registry${path?.slice(target.length)}`);
  });
});

function dockerfileHealthUrl(): string {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  return /HEALTHCHECK[\s\S]*?"(http[^"]+)"/.exec(text)?.[1] ?? '';
}
