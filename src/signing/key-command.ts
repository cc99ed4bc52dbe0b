import { type ChildProcess, spawn } from 'node:child_process';
import { RegistryError } from '../errors.ts';

/*
 * Keys that are held elsewhere, by a key management service for example: a setting says `command:PROGRAM ARGUMENTS`
 * in the place of a file. No shell is involved, and a space always ends a word.
 */

const PREFIX = 'command:';
const DEADLINE_MS = 10_000;
const MAX_BYTES = 262_144;

/** The words of a command, when a setting is one. */
export function keyCommand(setting: string): readonly string[] | undefined {
  if (!setting.startsWith(PREFIX)) return undefined;
  return setting
    .slice(PREFIX.length)
    .split(' ')
    .filter((word) => word !== '');
}

/**
 * What a command prints when it is given some bytes. It has 10 s, with all that it starts: whatever of it still runs then is
 * ended. What it writes to its standard error is not shown, as it may hold a key.
 *
 * @throws RegistryError `keys_unavailable`
 */
export function askCommand(words: readonly string[], input: Uint8Array = new Uint8Array()): Promise<string> {
  const [program = '', ...flags] = words;
  return new Promise((resolve, reject) => {
    const failed = (why: string, cause?: unknown) => reject(unavailable(program, why, cause));
    const isGroup = process.platform !== 'win32';
    const child = spawn(program, flags, { stdio: ['pipe', 'pipe', 'ignore'], detached: isGroup });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let stopped: string | undefined;
    const stop = (why: string) => {
      stopped ??= why;
      endAll(child, isGroup);
      child.stdout.destroy(); // what it started may hold the other end for ever
    };
    const timer = setTimeout(() => stop(`timeout after ${DEADLINE_MS} ms`), DEADLINE_MS);
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) stop(`it printed more than ${MAX_BYTES} bytes`);
      else chunks.push(chunk);
    });
    child.stdin.on('error', () => {}); // it need not read
    child.on('error', (cause) => {
      clearTimeout(timer);
      failed('it could not be started', cause);
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (stopped !== undefined) failed(stopped);
      else if (code === 0) resolve(Buffer.concat(chunks).toString());
      else failed(`it exited with ${code ?? signal}`);
    });
    child.stdin.end(input);
  });
}

/** A script is not all of a command: what it calls has to end with it. */
function endAll(child: ChildProcess, isGroup: boolean): void {
  if (!isGroup || child.pid === undefined) {
    child.kill('SIGKILL');
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // nobody is left in the group
  }
}

function unavailable(program: string, why: string, cause: unknown): RegistryError {
  return new RegistryError('keys_unavailable', `the key command ${program} failed: ${why}`, {
    cause,
    hint: 'run the command manually as the user of this process; it must find its settings in the environment of this process',
    retryable: true,
  });
}
