#!/usr/bin/env node
// The launcher. It runs on Node 20 and newer, so that an old Node gets a sentence and not a stack trace. It hands over to
// the Node that came along as a dependency: that one was tested, and package-lock.json holds its hash.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OLDEST = 24;
/** Names the launcher's process to the Node 24 that it hands over to (src/cli/interrupt.ts). */
const LAUNCHER = 'AGENT_REGISTRY_LAUNCHER';
const isNewEnough = Number(process.versions.node.split('.')[0]) >= OLDEST;
const pinned = pinnedNode();
const isPinned = isNewEnough && (pinned === undefined || pinned === realpathSync(process.execPath));

if (folderOf('commander') === undefined) {
  stop('dependencies are not installed', `run "npm ci" in ${root}, then try again`);
} else if (pinned === undefined && !isNewEnough) {
  stop(
    `Node ${OLDEST} or newer is required, this is Node ${process.versions.node}, and the bundled Node is not installed`,
    `reinstall without --omit=optional, or install Node ${OLDEST}`,
  );
} else if (isPinned) {
  await import(mainModule());
} else if (process.execve === undefined) {
  handOver(pinned);
} else {
  const ownFlags = isNewEnough ? process.execArgv : [];
  process.execve(pinned, [pinned, ...ownFlags, ...process.argv.slice(1)]);
}

/** A checkout runs its TypeScript as it is. A package is built: Node strips no types below node_modules. */
function mainModule() {
  return existsSync(join(root, 'src', 'main.ts')) ? '../src/main.ts' : '../dist/src/main.js';
}

/**
 * The Node that the optional dependency for this machine has brought, if there is one. It was built for glibc.
 * @returns {string | undefined}
 */
function pinnedNode() {
  const isWindows = process.platform === 'win32';
  const folder = folderOf(`node-${isWindows ? 'win' : process.platform}-${process.arch}`);
  const file = join(folder ?? '', 'bin', isWindows ? 'node.exe' : 'node');
  if (folder === undefined || !existsSync(file)) return undefined;
  const path = realpathSync(file);
  return path === realpathSync(process.execPath) || !hasOtherLibc() ? path : undefined;
}

function hasOtherLibc() {
  process.report.excludeNetwork = true;
  return process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;
}

/** Node 20 cannot become another program: it stays, passes signals on, and ends as its child ends. @param {string} node */
function handOver(node) {
  const child = spawn(node, process.argv.slice(1), {
    stdio: 'inherit',
    env: { ...process.env, [LAUNCHER]: String(process.pid) },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
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
