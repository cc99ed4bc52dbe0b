import { spawn } from 'node:child_process';
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
 * What a command prints when it is given some bytes. It has 10 s. What it writes to its standard error is not shown, as it
 * may hold a key.
 *
 * @throws RegistryError `keys_unavailable`
 */
export function askCommand(words: readonly string[], input: Uint8Array = new Uint8Array()): Promise<string> {
  const [program = '', ...flags] = words;
  return new Promise((resolve, reject) => {
    const failed = (why: string, cause?: unknown) => reject(unavailable(program, why, cause));
    const child = spawn(program, flags, {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: DEADLINE_MS,
      killSignal: 'SIGKILL',
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) child.kill('SIGKILL');
      else chunks.push(chunk);
    });
    child.stdin.on('error', () => {}); // it need not read
    child.on('error', (cause) => failed('it cannot be started', cause));
    child.on('close', (code, signal) => {
      if (bytes > MAX_BYTES) failed(`it printed more than ${MAX_BYTES} bytes`);
      else if (code === 0) resolve(Buffer.concat(chunks).toString());
      else failed(signal === null ? `it ended with ${code}` : `it was ended after ${DEADLINE_MS} ms`);
    });
    child.stdin.end(input);
  });
}

function unavailable(program: string, why: string, cause: unknown): RegistryError {
  return new RegistryError('keys_unavailable', `the command for keys, ${program}, gave none: ${why}`, {
    cause,
    hint: 'run it by hand as the user of this process; its settings have to be in the environment of this process',
    retryable: true,
  });
}
