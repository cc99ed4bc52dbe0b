#!/usr/bin/env node
// The launcher. It runs on any Node, so that an old one gets a sentence and not a stack trace:
// when the Node that started it is too old it hands over to the one that `npm ci` put beside the project.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OLDEST = 24;
// names are looked up on libuv's threads: four of them would make slow DNS the bound of a bulk crawl
process.env.UV_THREADPOOL_SIZE ??= '32';
// what crawls and tests throw away lives a little too long for V8: collected earlier, the process is a quarter smaller at no cost
const BULK_FLAGS = ['--max-semi-space-size=32', '--heap-growing-percent=100'];
const [command, ...rest] = process.argv.slice(2);
const isBulk = command !== undefined && ['crawl', 'work', 'heartbeat'].includes(command);
const flags = isBulk && !rest.includes('--help') ? BULK_FLAGS : [];
const hasFlags = flags.every((flag) => process.execArgv.includes(flag));
const major = Number(process.versions.node.split('.')[0]);

if (!existsSync(join(root, 'node_modules', 'commander'))) {
  stop('the dependencies are not installed', `run "npm ci" in ${root}, then try again`);
} else if (major >= OLDEST && (hasFlags || process.execve === undefined)) {
  await import('../src/main.ts');
} else if (major >= OLDEST) {
  // the same process over again: these flags count from the start of a process only
  process.execve(process.execPath, [
    process.execPath,
    ...flags,
    ...process.execArgv,
    ...process.argv.slice(1),
  ]);
} else {
  handOver(join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node'));
}

/** @param {string} node24 */
function handOver(node24) {
  if (!existsSync(node24)) {
    stop(
      `Node ${OLDEST} or newer is needed, this is Node ${process.versions.node}, and the project's own Node is missing`,
      'run "npm ci" again and let the install script of the package "node" run, or install Node 24',
    );
    return;
  }
  const child = spawn(node24, [...flags, ...process.argv.slice(1)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 143);
  });
}

/** @param {string} what @param {string} hint */
function stop(what, hint) {
  process.stderr.write(`registry: ${what}\n  hint: ${hint}\n`);
  process.exitCode = 2;
}
