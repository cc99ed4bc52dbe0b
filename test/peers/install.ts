import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HERE = import.meta.dirname;
const VENV = '.venv';

/** The Python that the peers run in; there after `installPeers`. */
export const PYTHON = pythonOf(HERE);

/**
 * Installs the field's packages as the locks name them, by their hashes: npm's beside this file, Python's in a virtual
 * environment. Does nothing when they are there. Ends the process with a sentence when it cannot.
 */
export function installPeers(log: (line: string) => void): void {
  installPackages(HERE, log);
  installPython(HERE, 10, log);
}

/** Installs what the package.json and lock file of a folder name. */
function installPackages(folder: string, log: (line: string) => void): void {
  whenChanged(folder, 'node_modules', ['package.json', 'package-lock.json'], log, () => {
    const options = ['--ignore-scripts', '--no-audit', '--no-fund'];
    // there, and not by --prefix, which leaves out the settings that npm has for the whole machine
    run('npm', ['ci', ...options], `npm could not install ${folder}/package-lock.json`, folder);
  });
}

/** The same for a program in Python that has a folder and a requirements.txt of its own; returns the Python it runs in. */
export function installPython(folder: string, oldestMinor: number, log: (line: string) => void): string {
  whenChanged(folder, VENV, ['requirements.txt'], log, () => makeVenv(folder, oldestMinor));
  return pythonOf(folder);
}

/** Does `install`, which makes `target`, when a lock in the folder has changed since it was last done. */
function whenChanged(
  folder: string,
  target: string,
  locks: readonly string[],
  log: (line: string) => void,
  install: () => void,
): void {
  const hash = createHash('sha256');
  for (const name of locks) hash.update(readFileSync(join(folder, name)));
  const wanted = hash.digest('hex');
  const stamp = join(folder, target, 'installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  rmSync(join(folder, target), { recursive: true, force: true });
  log(`installing what ${folder} names; this needs the network, once`);
  install();
  writeFileSync(stamp, wanted);
}

function makeVenv(folder: string, oldestMinor: number): void {
  const system = ['python3', 'python'].find((command) => isNewPython(command, oldestMinor));
  if (system === undefined)
    stop(`this needs Python 3.${oldestMinor} or newer with venv, and none is in PATH`);
  run(
    system,
    ['-m', 'venv', join(folder, VENV)],
    'Python could not make a virtual environment (on Debian: apt-get install python3-venv)',
  );
  // Python compiles what it imports when it does, which is a small part of them
  const pip = ['-m', 'pip', 'install', '--no-compile', '--quiet', '--disable-pip-version-check'];
  const locked = ['--require-hashes', '--only-binary', ':all:', '-r', join(folder, 'requirements.txt')];
  run(pythonOf(folder), [...pip, ...locked], `pip could not install ${folder}/requirements.txt`);
}

function pythonOf(folder: string): string {
  return join(folder, VENV, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
}

function isNewPython(command: string, oldestMinor: number): boolean {
  const check = `import sys, venv; sys.exit(sys.version_info < (3, ${oldestMinor}))`;
  return spawnSync(command, ['-c', check], { stdio: 'ignore' }).status === 0;
}

/** Each is tried again: a resolver or a registry may hiccup. */
function run(command: string, args: readonly string[], sentence: string, cwd = HERE): void {
  for (const pauseS of [5, 30, undefined]) {
    const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status === 0) return;
    if (pauseS !== undefined) spawnSync('sleep', [`${pauseS}`]);
  }
  stop(`${sentence}; is the network there?`);
}

function stop(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
