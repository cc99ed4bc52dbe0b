import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { RegistryError } from '../../../src/errors.ts';

const POM = join(import.meta.dirname, 'pom.xml');
const PROGRAM = join(import.meta.dirname, 'StartNode.java');
const CACHE = resolve(import.meta.dirname, '../../../node_modules/.cache/engines');
const FETCH_MS = 300_000;
/** Before a fetch that failed is tried again: a resolver or a repository may hiccup. */
const PAUSES_MS = [5_000, 30_000];

/**
 * The folder with OpenSearch's jars. The first call lets Maven fetch them (about 70 MB, from the repository
 * that Maven is configured for); later calls find them in node_modules/.cache.
 */
export async function openSearchJars(javaHome: string): Promise<string> {
  const version = /<version>(.*?)<\/version>/.exec(readFileSync(POM, 'utf8'))?.[1];
  const folder = join(CACHE, `opensearch-${version}`);
  if (!existsSync(folder)) await makeFolder(folder, (into) => runMaven(into, javaHome));
  return folder;
}

/**
 * The folder with the class `StartNode`, compiled once for this text of it and this JDK: Java would compile its text at
 * each start, which takes as long as the start itself.
 */
export async function startProgram(javaHome: string, jars: string): Promise<string> {
  const text = createHash('sha256').update(javaHome).update(readFileSync(PROGRAM)).digest('hex');
  const folder = join(CACHE, `start-node-${text.slice(0, 16)}`);
  const compile = (into: string) =>
    promisify(execFile)(join(javaHome, 'bin/javac'), ['-d', into, '-cp', join(jars, '*'), PROGRAM]);
  if (!existsSync(folder)) await makeFolder(folder, compile);
  return folder;
}

/** Made under another name and renamed at the end: two may make it at once, and a half one is never used. */
async function makeFolder(folder: string, fill: (into: string) => Promise<unknown>): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const unfinished = mkdtempSync(join(CACHE, 'making-'));
  try {
    await fill(unfinished);
    renameSync(unfinished, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

async function runMaven(outputFolder: string, javaHome: string): Promise<void> {
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${outputFolder}`];
  const options = { env: { ...process.env, JAVA_HOME: javaHome }, timeout: FETCH_MS };
  for (const pauseMs of [...PAUSES_MS, undefined])
    try {
      // Maven remembers that a file could not be had, and asks again only when it is told to
      await promisify(execFile)(
        'mvn',
        ['--batch-mode', '--quiet', '--update-snapshots', '--file', POM, ...goal],
        options,
      );
      return;
    } catch (thrown) {
      const error = thrown as NodeJS.ErrnoException & { readonly stdout?: string };
      if (error.code === 'ENOENT' || pauseMs === undefined) throw notFetched(error);
      await pause(pauseMs);
    }
}

function notFetched(error: NodeJS.ErrnoException & { readonly stdout?: string }): RegistryError {
  if (error.code === 'ENOENT') {
    return new RegistryError('index_unavailable', 'Maven is missing, which fetches OpenSearch', {
      hint: 'install it (Debian: apt-get install maven), and start again',
    });
  }
  const reason = (error.stdout?.trim() || error.message).split('\n').slice(0, 5).join('\n');
  return new RegistryError('index_unavailable', `Maven could not fetch OpenSearch: ${reason}`, {
    hint: `what Maven said is in the message; try it by itself: mvn --file ${POM} dependency:resolve`,
  });
}
