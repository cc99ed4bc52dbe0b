import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { SETTINGS, variablesOf } from '../../src/config.ts';
import { ourServices, ROOT, readComposeFile } from './support/compose-file.ts';
import { programOnPath } from './support/on-path.ts';
import { parseOnly } from './support/parse-only.ts';
import { INSTALLED, serviceCommands, UNITS } from './support/unit-files.ts';

const COMMON = readFileSync(join(UNITS, 'agent-registry-.service.d/common.conf'), 'utf8');

describe('the systemd units', () => {
  it('are there for everything that an operator runs', () => {
    const names = serviceCommands().map(([name]) => name);
    expect(names).toEqual(['crawl', 'doctor', 'export', 'heartbeat', 'prune', 'schedule', 'serve', 'work']);
  });

  it.each(serviceCommands())(
    '%s starts the process itself, with a command that it knows',
    async (_name, words) => {
      const [program, ...args] = words;
      expect(program).toBe(INSTALLED);
      await expect(parseOnly(args)).resolves.toBeUndefined();
    },
  );

  it('start each command that ends by itself from a timer', () => {
    const timers = readdirSync(UNITS).filter((name) => name.endsWith('.timer'));
    const oneShots = readdirSync(UNITS).filter(
      (name) => name.endsWith('.service') && readFileSync(join(UNITS, name), 'utf8').includes('Type=oneshot'),
    );
    expect(timers).toEqual(oneShots.map((name) => name.replace('.service', '.timer')));
  });

  it('wait as long for a graceful stop as the compose file does', () => {
    const graces = ourServices(readComposeFile()).map(([, service]) => service.stop_grace_period);
    const seconds = /^TimeoutStopSec=(\d+)$/m.exec(COMMON)?.[1];
    expect(graces).toEqual(graces.map(() => `${seconds}s`));
  });

  it('read a file of settings that the program knows', () => {
    const example = readFileSync(join(UNITS, 'settings.example'), 'utf8');
    const known = Object.values(SETTINGS).flatMap(variablesOf);
    const set = [...example.matchAll(/^#?(REGISTRY_\w+)=/gm)].map(([, name]) => name);
    expect(set.length).toBeGreaterThan(2);
    expect(set.filter((name) => !known.includes(name ?? ''))).toEqual([]);
  });

  it('find the keys of that file where the installation makes them', () => {
    const example = readFileSync(join(UNITS, 'settings.example'), 'utf8');
    const keys = [...example.matchAll(/^REGISTRY_\w+_KEYS=(.+)$/gm)].map(([, path = '']) => path);
    const commands = readFileSync(join(ROOT, 'docs/operating/install.md'), 'utf8');
    expect(keys.length).toBe(3);
    expect(keys.filter((path) => !new RegExp(`keys generate .* ${path}$`, 'm').test(commands))).toEqual([]);
  });

  it('leave the hardening to the file that they share', () => {
    for (const name of readdirSync(UNITS).filter((file) => file.endsWith('.service'))) {
      const text = readFileSync(join(UNITS, name), 'utf8');
      const [, service = ''] = text.split('[Service]');
      const set = [...service.matchAll(/^(\w+)=/gm)].map(([, setting]) => setting);
      expect(
        set.filter((setting) => !['Type', 'ExecStart', 'Restart', 'WantedBy'].includes(setting ?? '')),
      ).toEqual([]);
    }
  });

  const analyze = programOnPath('systemd-analyze');
  describe.skipIf(analyze === undefined)('with systemd at hand', () => {
    const [folder, ofOthers] = [mkdtempSync(join(tmpdir(), 'registry-units-')), ''];
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    cpSync(UNITS, folder, { recursive: true });
    const units = readdirSync(folder).filter((name) => /\.(service|timer)$/.test(name));
    for (const name of units) {
      const path = join(folder, name);
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, text.replace(INSTALLED, join(ROOT, 'bin/agent-registry.mjs')));
    }
    const env = { ...process.env, SYSTEMD_UNIT_PATH: [folder, ofOthers].join(delimiter) };
    const paths = (pattern: RegExp) =>
      units.filter((name) => pattern.test(name)).map((name) => join(folder, name));

    it('are accepted', async () => {
      const { stdout, stderr } = await promisify(execFile)(analyze ?? '', ['verify', ...paths(/./)], { env });
      expect(stdout + stderr).toBe('');
    });

    it('are exposed as little as a service on the network can be: at most 1.5 of 10', async () => {
      const flags = ['security', '--offline=yes', '--threshold=15'];
      const assess = promisify(execFile)(analyze ?? '', [...flags, ...paths(/\.service$/)], { env });
      await expect(assess).resolves.toBeDefined();
    });
  });
});
