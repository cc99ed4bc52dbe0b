import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { RegistryError } from '../../../src/errors.ts';

/** What OpenSearch 3 needs. */
const OLDEST = 21;
/** Where Linux distributions install Java, each version in a folder of its own. */
const INSTALLED = '/usr/lib/jvm/*';

/**
 * The home folder of a JDK that is new enough: JAVA_HOME's, else the newest; throws with what to install.
 * A JDK and not only a runtime, because StartNode.java is compiled.
 */
export function findJava(): string {
  const installed = [...globSync(INSTALLED), ...homesInPath()].toSorted(
    (a, b) => versionOf(b) - versionOf(a),
  );
  const home = [process.env.JAVA_HOME ?? '', ...installed].find((folder) => versionOf(folder) >= OLDEST);
  if (home !== undefined) return home;
  throw new RegistryError('index_unavailable', `no JDK ${OLDEST} or newer on this machine`, {
    hint: `install one (Debian 13, Ubuntu 24.04: apt-get install openjdk-21-jdk-headless), or set JAVA_HOME; looked in JAVA_HOME, ${INSTALLED} and PATH`,
  });
}

function homesInPath(): string[] {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'java'))
    .filter((program) => existsSync(program))
    .map((program) => dirname(dirname(realpathSync(program))));
}

/** The major version by the home's `release` file (`JAVA_VERSION="25.0.3"`); 0 if there is no JDK. */
function versionOf(home: string): number {
  const release = join(home, 'release');
  if (!existsSync(join(home, 'bin/javac')) || !existsSync(release)) return 0;
  return Number(/^JAVA_VERSION="(\d+)/m.exec(readFileSync(release, 'utf8'))?.[1] ?? 0);
}
