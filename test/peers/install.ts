import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HERE = import.meta.dirname;
const VENV = join(HERE, '.venv');
const STAMP = join(VENV, 'installed');
const LOCKS = ['package.json', 'package-lock.json', 'requirements.txt'];

/** The Python that the peers run in; there after `installPeers`. */
export const PYTHON = join(VENV, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');

/**
 * Installs the field's packages as the locks name them, by their hashes: npm's beside this file, Python's in a virtual
 * environment. Does nothing when they are there. Ends the process with a sentence when it cannot.
 */
export function installPeers(log: (line: string) => void): void {
  const wanted = fingerprint();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return;
  log('installing the peers; this needs the network, once');
  const system = ['python3', 'python'].find(isNewPython);
  if (system === undefined) stop('the peers need Python 3.10 or newer with venv, and none is in PATH');
  rmSync(VENV, { recursive: true, force: true });
  run(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund'],
    'npm could not install test/peers/package-lock.json',
  );
  run(
    system,
    ['-m', 'venv', VENV],
    'Python could not make a virtual environment (on Debian: apt-get install python3-venv)',
  );
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--require-hashes',
    '--only-binary',
    ':all:',
  ];
  run(PYTHON, [...pip, '-r', 'requirements.txt'], 'pip could not install test/peers/requirements.txt');
  writeFileSync(STAMP, wanted);
}

function fingerprint(): string {
  const hash = createHash('sha256');
  for (const name of LOCKS) hash.update(readFileSync(join(HERE, name)));
  return hash.digest('hex');
}

function isNewPython(command: string): boolean {
  const check = 'import sys, venv; sys.exit(sys.version_info < (3, 10))';
  return spawnSync(command, ['-c', check], { stdio: 'ignore' }).status === 0;
}

/** Each is tried again: a resolver or a registry may hiccup. */
function run(command: string, args: readonly string[], sentence: string): void {
  for (const pauseS of [5, 30, undefined]) {
    const { status } = spawnSync(command, args, { cwd: HERE, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status === 0) return;
    if (pauseS !== undefined) spawnSync('sleep', [`${pauseS}`]);
  }
  stop(`${sentence}; is the network there?`);
}

function stop(sentence: string): never {
  process.stderr.write(`test:peers: ${sentence}\n`);
  process.exit(1);
}
