import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/config.ts';
import { mountsOf, readComposeFile, type Service } from './support/compose-file.ts';
import { UNITS } from './support/unit-files.ts';

const { services, networks } = readComposeFile();
const all = Object.entries(services);
/** Rights, as Docker knows them, which a service that ends and has no network may have for its files. */
const OVER_FILES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER'];
/** Members with which a service gets out of its container. */
const WAYS_OUT = [
  'privileged',
  'pid',
  'ipc',
  'uts',
  'userns_mode',
  'cgroup_parent',
  'devices',
  'device_cgroup_rules',
];

/** One that makes files for others before they start, and then ends. */
const isSetUp = ({ restart, network_mode: mode }: Service) => restart === 'no' && mode === 'none';

/** What has ended before a service starts, or is well. */
function startsAfter(name: string): readonly string[] {
  const needs = Object.entries(services[name]?.depends_on ?? {});
  return needs.flatMap(([needed, { condition }]) => {
    const isEnded = services[needed]?.restart === 'no';
    expect(condition, `${name} on ${needed}`).toBe(
      isEnded ? 'service_completed_successfully' : 'service_healthy',
    );
    return [needed, ...startsAfter(needed)];
  });
}

describe.each(all)('the service %s', (_name, service) => {
  it('has a root that it cannot write to, and room in memory for what is temporary', () => {
    expect(service.read_only).toBe(true);
    const tmp = service.tmpfs?.filter((mount) => mount.startsWith('/tmp:')) ?? [];
    expect(tmp).toEqual([expect.stringMatching(/[:,]size=\d+m\b/)]);
  });

  it('has no right of root, and no way to get one', () => {
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.security_opt).toEqual(['no-new-privileges:true']);
    const added = service.cap_add ?? [];
    expect(added.filter((right) => !(isSetUp(service) && OVER_FILES.includes(right)))).toEqual([]);
    if (added.length === 0) expect(service.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  it('cannot take the memory or the processes of the others', () => {
    const { memory, pids } = service.deploy.resources.limits;
    expect(memory).toMatch(/^\d+[mg]$/);
    expect(pids).toBeGreaterThanOrEqual(256);
  });

  it('stays in its container', () => {
    expect(Object.keys(service).filter((member) => WAYS_OUT.includes(member))).toEqual([]);
    expect(service.network_mode ?? 'none').toBe('none');
    const mounts = mountsOf(service);
    expect(mounts.filter(({ source }) => source.includes('docker.sock'))).toEqual([]);
    const ofHost = mounts.filter(({ source }) => /^[./~]/.test(source));
    expect(ofHost.filter(({ isReadOnly }) => !isReadOnly)).toEqual([]);
  });

  it('is reached from the host only where it says so, and by nobody else without a change', () => {
    const { command = [], ports = [] } = service;
    const answering = command[command.indexOf('--port') + 1];
    for (const port of ports) {
      expect(port).toMatch(/^\$\{\w+:-127\.0\.0\.1:\d+\}:\d+$/);
      // its metrics have another one
      expect(port.split(':').at(-1)).toBe(answering);
    }
  });

  it('is on the networks that it needs', () => {
    const { networks: joined = [] } = service;
    if (isSetUp(service)) expect(joined).toEqual([]);
    else expect(joined).toContain('engines');
    expect(joined.filter((network) => !(network in networks))).toEqual([]);
  });
});

describe('what is secret', () => {
  const held = all.flatMap(([name, service]) =>
    mountsOf(service)
      .filter(({ source }) => /-(secrets|keys)$/.test(source))
      .map((mount) => ({ name, isSetUp: isSetUp(service), ...mount })),
  );

  it('is written by services that end before the others start, and have no network', () => {
    expect(held.filter(({ isReadOnly, isSetUp: may }) => !isReadOnly && !may)).toEqual([]);
    for (const [name] of all.filter(([, service]) => !isSetUp(service))) {
      expect(startsAfter(name), name).toContain('secrets');
    }
  });

  it.each([
    // the passwords of both roles; `roles` gives the runtime role the one of its file
    ['postgres-secrets', ['postgres', 'roles']],
    // whoever may change tables and the audit log ends before the processes start
    ['owner-secrets', ['schema']],
    ['opensearch-secrets', ['opensearch']],
    ['registry-secrets', ['api', 'scheduler', 'worker', 'exports']],
    // the key of badges is needed to sign, and that of credentials to keep and to use them
    ['badge-keys', ['api']],
    ['audit-keys', ['api']],
    ['credential-keys', ['api', 'worker']],
  ])('%s is read by %j and nobody else', (volume, readers) => {
    const found = held.filter(({ source, isReadOnly }) => source === volume && isReadOnly);
    expect(found.map(({ name }) => name)).toEqual(readers);
  });

  it('and ours comes from files, for every setting of keys there is, in the stack and in the units', () => {
    const settings = Object.values(SETTINGS).map(({ env }) => env as string);
    const keys = settings.filter((name) => name.endsWith('_KEYS'));
    expect(keys).toContain('REGISTRY_BADGE_KEYS');
    const example = readFileSync(join(UNITS, 'settings.example'), 'utf8');
    for (const name of keys) {
      expect(services.api?.environment?.[name]).toMatch(/^\/run\/[a-z]+-keys\//);
      expect(example).toMatch(new RegExp(`^${name}=/etc/agent-registry/keys/`, 'm'));
    }
  });

  it('of the owner of the tables is used before any process runs', () => {
    for (const name of ['api', 'scheduler', 'worker']) expect(startsAfter(name)).toContain('schema');
    expect(startsAfter('schema')).toContain('roles');
  });

  it('is in no environment', () => {
    const values = all.flatMap(([name, { environment = {} }]) =>
      Object.entries(environment).map(([variable, value]) => `${name} ${variable}=${value ?? ''}`),
    );
    const keys = values.filter((line) => /(PASSWORD|SECRET|TOKEN|KEY)\w*=(?!\/)/.test(line));
    // the operator's own variable, which names a file
    expect(keys.filter((line) => !line.endsWith(' REGISTRY_TEST_KEY='))).toEqual([]);
    expect(values.filter((line) => /:\/\/[^/]*@/.test(line))).toEqual([]);
  });
});
