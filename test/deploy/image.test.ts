import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { NOBODY as NO_ORIGIN } from '../calling/support/serve.ts';
import { ROOT } from './support/compose-file.ts';
import { buildImageFolder, copiedPaths } from './support/image.ts';

/** Somebody who owns nothing; who runs these tests without being root is such a user already. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

let image: ReturnType<typeof buildImageFolder>;
beforeAll(() => {
  image = buildImageFolder();
}, 60_000);
afterAll(() => image.remove());

/** Starts a program of the image as the image does: another user, nothing to write to, no environment but this. */
function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(image.node, [...args], {
    cwd: image.app,
    env: { NODE_ENV: 'production', ...env },
    ...NOBODY,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ended = Promise.all([code, text(child.stdout), text(child.stderr)]).then(
    ([status, stdout, stderr]) => ({ status, stdout, stderr }),
  );
  return { child, ended };
}

const registry = (args: readonly string[], env?: Readonly<Record<string, string>>) =>
  start(['bin/agent-registry.mjs', ...args], env);

/** A folder that the user of the image may write to, as a volume would be. */
function volume(): string {
  const folder = mkdtempSync(join(tmpdir(), 'registry-volume-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (NOBODY.uid !== undefined) chownSync(folder, NOBODY.uid, NOBODY.gid);
  return folder;
}

function until(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const match = pattern.exec(output);
      if (match) resolve(match);
    });
    child.once('close', (status) => reject(new Error(`ended with ${status} before ${pattern}: ${output}`)));
  });
}

describe('the image', () => {
  it('copies only what .dockerignore lets through', () => {
    const let_through = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    for (const [from] of copiedPaths()) expect(let_through).toContain(from);
  });

  it('leaves out the tests, the benchmarks and the engines', () => {
    const paths = copiedPaths().map(([from]) => from);
    for (const folder of ['test', 'bench', 'engines', '.', 'docs']) expect(paths).not.toContain(folder);
  });

  it('holds no reference agent and no package of development', () => {
    expect(copiedPaths().filter(([from]) => from.startsWith('reference-agents'))).toEqual([]);
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const packages = readdirSync(join(image.app, 'node_modules'));
    const wrong = ['@agent-registry', 'agent-registry', ...Object.keys(devDependencies)];
    expect(packages.filter((name) => wrong.includes(name))).toEqual([]);
    expect(readdirSync(image.app)).not.toContain('reference-agents');
  });

  it('runs as another user from a folder that it cannot write to', async () => {
    const { status, stdout } = await registry(['--version']).ended;
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect([status, stdout]).toEqual([0, expect.stringContaining(`${version} (`)]);
    const attempt = "require('node:fs').writeFileSync('written', '')";
    expect((await start(['-e', attempt]).ended).stderr).toMatch(/EACCES|EROFS/);
  });

  it('serves, says to its health check that it is well, and ends on SIGTERM', async () => {
    const store = join(volume(), 'address');
    writeFileSync(store, `sqlite:${join(volume(), 'registry.sqlite')}\n`);
    const { child, ended } = registry(['serve', '--create', '--host', '127.0.0.1', '--port', '0'], {
      REGISTRY_STORE_FILE: store,
    });
    const [origin = ''] = await until(child, /http:\/\/[\d.]+:\d+(?=\D)/);
    const check = (at: string) => start(['deploy/healthcheck.mjs', `${at}/readyz`]).ended;
    expect(await check(origin)).toMatchObject({ status: 0, stderr: '' });
    child.kill('SIGTERM');
    expect((await ended).status).toBe(0);
    expect(await check(NO_ORIGIN)).toMatchObject({ status: 1, stderr: expect.stringContaining('no answer') });
  });

  it('knows every command without the packages of development', async () => {
    const { stdout } = await registry(['--help']).ended;
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) .*/gm)].map(([, name = '']) => name);
    expect(commands).toContain('serve');
    for (const command of ['serve', 'crawl', 'index', 'doctor'])
      expect((await registry([command, '--help']).ended).status, command).toBe(0);
  });

  it('says what is wrong when its health check finds a part down', async () => {
    const code = `require('node:http').createServer((_, r) => r.writeHead(503).end('index')).listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port) })`;
    const { child } = start(['-e', code]);
    const [origin = ''] = await until(child, /http:\/\/[\d.]+:\d+(?=\D)/);
    const { status, stderr } = await start(['deploy/healthcheck.mjs', `${origin}/readyz`]).ended;
    expect([status, stderr]).toEqual([1, `${origin}/readyz: 503 index\n`]);
  });
});
