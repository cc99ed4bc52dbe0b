import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LAUNCHER = new URL('../../../bin/agent-registry.mjs', import.meta.url).pathname;

/** A command of the registry in a process of its own. */
export interface RegistryProcess {
  readonly pid: number;
  /** Waits until the log says so. */
  says(text: string): Promise<void>;
  /** Asks it to stop, and waits until it has. Rejects when it failed. */
  stop(): Promise<void>;
}

/** Starts `agent-registry …` with settings beside those of this process. */
export function startRegistry(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): RegistryProcess {
  const folder = mkdtempSync(join(tmpdir(), 'registry-bench-log-'));
  const logFile = join(folder, 'log');
  const log = openSync(logFile, 'w');
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', log, log],
  });
  closeSync(log); // the process has its own
  const said = () => readFileSync(logFile, 'utf8');
  const failed = () => new Error(`registry ${args[0]} ended with ${child.exitCode}: ${said().slice(-2_000)}`);
  return {
    pid: child.pid ?? 0,
    async says(text) {
      while (!said().includes(text)) {
        if (child.exitCode !== null) throw failed();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async stop() {
      child.kill('SIGTERM');
      await ended(child);
      if (child.exitCode !== 0) throw failed();
      rmSync(folder, { recursive: true }); // that of a failure stays, to be read
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
