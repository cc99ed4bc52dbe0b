#!/usr/bin/env node
// The launcher. It runs on Node 20 and newer, so that an old Node gets a sentence and not a stack trace:
// a Node that is too old hands over to the one that the package "node" has brought along.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OLDEST = 24;
/** Names the launcher's process to the Node 24 that it hands over to. */
const LAUNCHER = 'AGENT_REGISTRY_LAUNCHER';
const PARENT_CHECK_MS = 250;
// names are looked up on libuv's threads: four of them would make slow DNS the bound of a bulk crawl
process.env.UV_THREADPOOL_SIZE ??= '32';
// what crawls and tests throw away lives a little too long for V8: collected earlier, the process is a quarter smaller at no cost
const BULK_FLAGS = ['--max-semi-space-size=32', '--heap-growing-percent=100'];
const [command, ...rest] = process.argv.slice(2);
const isBulk = command !== undefined && ['crawl', 'work', 'heartbeat'].includes(command);
const flags = isBulk && !rest.includes('--help') ? BULK_FLAGS : [];
const hasFlags = flags.every((flag) => process.execArgv.includes(flag));
const major = Number(process.versions.node.split('.')[0]);

if (folderOf('commander') === undefined) {
  stop('the dependencies are not installed', `run "npm ci" in ${root}, then try again`);
} else if (major < OLDEST) {
  handOver();
} else if (hasFlags || process.execve === undefined) {
  endWithParent();
  await import(mainModule());
} else {
  // the same process over again: these flags count from the start of a process only
  process.execve(process.execPath, [
    process.execPath,
    ...flags,
    ...process.execArgv,
    ...process.argv.slice(1),
  ]);
}

/** A checkout runs its TypeScript as it is. A package is built: Node strips no types below node_modules. */
function mainModule() {
  return existsSync(join(root, 'src', 'main.ts')) ? '../src/main.ts' : '../dist/src/main.js';
}

/** Node 20 cannot become another program: it stays, passes signals on, and ends as its child ends. */
function handOver() {
  const folder = folderOf('node');
  const node24 = join(folder ?? '', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (folder === undefined || !existsSync(node24)) {
    stop(
      `Node ${OLDEST} or newer is needed, this is Node ${process.versions.node}, and the project's own Node is missing`,
      'install again and let the install script of the package "node" run, or install Node 24',
    );
    return;
  }
  const child = spawn(node24, [...flags, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, [LAUNCHER]: String(process.pid) },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}

/**
 * npm passes a signal to its shell, which dies and passes nothing on; a launcher that is killed with SIGKILL cannot.
 * So whoever was started by one of them looks whether it is still there, and stops as by SIGTERM when it is not.
 */
function endWithParent() {
  const launcher = process.env[LAUNCHER];
  delete process.env[LAUNCHER];
  if (launcher === undefined && process.env.npm_lifecycle_event === undefined) return;
  const parent = Number(launcher ?? process.ppid);
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** Where a dependency is, beside this package or below it. @param {string} name */
function folderOf(name) {
  const folders = [];
  for (let folder = root; folder !== dirname(folder); folder = dirname(folder))
    folders.push(join(folder, 'node_modules', name));
  return folders.find((folder) => existsSync(folder));
}

/** @param {string} what @param {string} hint */
function stop(what, hint) {
  process.stderr.write(`agent-registry: ${what}\n  hint: ${hint}\n`);
  process.exitCode = 2;
}
