import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What a keeper is told, one JSON object a line. */
export type KeeperMessage =
  | { readonly watch: number; readonly signal: NodeJS.Signals }
  | { readonly forget: number };

export interface Keeper {
  /** The process is ours: end it with this signal when we are gone. */
  readonly watch: (pid: number, signal: NodeJS.Signals) => void;
  /** The process has ended; its id may belong to somebody else soon. */
  readonly forget: (pid: number) => void;
  /** Ends what is still watched, removes the folder, and waits until that is done. */
  readonly release: () => Promise<void>;
}

/**
 * Starts a small process that outlives us, to end an engine's processes and remove its folder even after
 * a SIGKILL of ours. It notices by the end of its standard input and needs no polling.
 */
export function startKeeper(folder: string): Keeper {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'keeper-process.ts'), folder], {
    env: { PATH: process.env.PATH ?? '' },
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const { stdin } = child;
  child.unref();
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  stdin.on('error', () => {}); // the keeper itself was killed; the engine goes on without one
  const tell = (message: KeeperMessage) => {
    // After its release the keeper ends processes itself, and their ends are no news to it.
    if (stdin.writable) stdin.write(`${JSON.stringify(message)}\n`);
  };
  return {
    watch: (pid, signal) => tell({ watch: pid, signal }),
    forget: (pid) => tell({ forget: pid }),
    release: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      stdin.end();
      await once(child, 'exit');
    },
  };
}
