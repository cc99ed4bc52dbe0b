import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { askSettings } from '../../src/cli/commands/init.ts';
import { useEnvFile } from '../../src/cli/setup/env-file.ts';
import { readConfig } from '../../src/config.ts';
import { run, start, tempFolder } from './support/cli.ts';

const CONTACT = 'https://you.example/crawler';

describe('agent-registry init', () => {
  it.each([
    ['the contact alone', { contact: CONTACT }],
    ['what a shell or a comment would begin with', { contact: 'https://you.example/?a=1&b="2"#c' }],
    [
      'everything',
      { contact: 'mailto:you@example.com', store: 'postgres://u:p%23@db/r', 'base-url': 'https://r.example' },
    ],
  ])('writes settings that the program reads: %s', async (_what, given) => {
    const file = join(tempFolder(), 'registry.env');
    const flags = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]);
    const { code, stdout, stderr } = await run('init', '--out', file, ...flags);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toBe(
      `wrote ${file}\nnext: agent-registry crawl DOMAIN\n      agent-registry doctor\n      agent-registry serve\n`,
    );
    const { contact, store, baseUrl } = readConfig(parseEnv(readFileSync(file, 'utf8')));
    const wanted = { store: 'sqlite:.registry/registry.sqlite', 'base-url': '', ...given };
    expect({ contact, store, 'base-url': baseUrl }).toEqual(wanted);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each([
    [[], /the contact URL is missing[\s\S]*--contact/],
    [['--contact', 'you'], /invalid value of --contact[\s\S]*hint: expected: contact URL/],
    [['--contact', CONTACT, '--store', 'mysql://x'], /invalid value of --store[\s\S]*sqlite:PATH/],
    [['--contact', CONTACT, '--base-url', 'r.example'], /invalid value of --base-url/],
  ])('writes nothing for %j, and says what is wrong', async (flags, message) => {
    const file = join(tempFolder(), 'registry.env');
    const { code, stderr } = await run('init', '--out', file, ...flags);
    expect([code, existsSync(file)]).toEqual([2, false]);
    expect(stderr).toMatch(message);
  });

  it('leaves a file that is there, but for --force', async () => {
    const file = join(tempFolder(), 'registry.env');
    writeFileSync(file, 'mine', { mode: 0o644 });
    const asked = ['init', '--out', file, '--contact', CONTACT];
    const { code, stderr } = await run(...asked);
    expect([code, readFileSync(file, 'utf8')]).toEqual([2, 'mine']);
    expect(stderr).toContain('already exists');
    expect((await run(...asked, '--force')).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain(CONTACT);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('asks until an answer is accepted, takes defaults, and asks of the index only past one machine', async () => {
    const answered = async (given: Parameters<typeof askSettings>[0], ...answers: readonly string[]) => {
      const [input, output] = [new PassThrough(), new PassThrough()];
      const shown = text(output);
      let next = 0;
      // an answer to each question: readline drops lines that come before it asks
      output.on('data', (chunk) => {
        if (String(chunk).includes('> ')) input.write(`${answers[next++] ?? ''}\n`);
      });
      const settings = await askSettings(given, input, output);
      output.end();
      const said = await shown;
      return {
        settings,
        asked: said.split('> ').length - 1,
        refused: said.split('Invalid value').length - 1,
      };
    };
    expect(await answered({}, 'nobody', '', CONTACT)).toEqual({
      settings: { contact: CONTACT, store: 'sqlite:.registry/registry.sqlite', baseUrl: '' },
      ...{ asked: 5, refused: 2 },
    });
    expect(await answered({ contact: CONTACT }, 'postgres://u:p@db/r')).toEqual({
      settings: { contact: CONTACT, store: 'postgres://u:p@db/r', index: 'records', baseUrl: '' },
      ...{ asked: 3, refused: 0 },
    });
  });
});

it.each([
  ['Ctrl-D', '\u0004'],
  ['Ctrl-C', '\u0003'],
])('init that is left with %s says that nothing was written', async (_what, key) => {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { isTTY: true });
  output.once('data', () => input.write(key));
  await expect(askSettings({}, input, output)).rejects.toMatchObject({
    code: 'interrupted',
    message: 'nothing was written',
  });
});

describe('registry.env', () => {
  const fileWith = (content: string) => {
    const file = join(tempFolder(), 'registry.env');
    writeFileSync(file, content);
    return file;
  };

  it('counts in the folder where a command starts, behind the environment', async () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, 'registry.env'), 'REGISTRY_STORE=sqlite:of-the-file.sqlite\n');
    const inFile = await start(['show', 'https://a.example/'], { cwd }).ended;
    expect(inFile.stderr).toContain('no store at of-the-file.sqlite');
    vi.stubEnv('REGISTRY_STORE', 'sqlite:of-the-environment.sqlite');
    const inEnvironment = await start(['show', 'https://a.example/'], { cwd }).ended;
    vi.unstubAllEnvs();
    expect(inEnvironment.stderr).toContain('no store at of-the-environment.sqlite');
  });

  it('gives a setting in neither of its forms where the environment has one of them', () => {
    const env = { REGISTRY_SETTINGS: fileWith('REGISTRY_STORE=sqlite:a\n'), REGISTRY_STORE_FILE: '/secret' };
    useEnvFile(env);
    expect(env).toEqual({ REGISTRY_STORE_FILE: '/secret' });
  });

  it.each([
    ['a name that is no setting', 'NODE_OPTIONS=--inspect\n', /unknown setting NODE_OPTIONS/],
    ['a file that names another', 'REGISTRY_SETTINGS=/x\n', /unknown setting REGISTRY_SETTINGS/],
  ])('is refused with %s', (_what, content, message) => {
    expect(() => useEnvFile({ REGISTRY_SETTINGS: fileWith(content) })).toThrow(message);
  });

  it('is refused where it is named and not there', () => {
    expect(() => useEnvFile({ REGISTRY_SETTINGS: '/does/not/exist' })).toThrow('cannot be read');
  });

  it('that others can write counts for nobody', async () => {
    const cwd = tempFolder();
    const file = join(cwd, 'registry.env');
    writeFileSync(file, 'REGISTRY_STORE=sqlite:a\n');
    chmodSync(file, 0o666);
    const { code, stderr } = await start(['show', 'https://a.example/'], { cwd }).ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining('chmod go-w registry.env')]);
    expect((await start(['--help'], { cwd }).ended).code).toBe(0);
  });
});
