import { readFileSync, type Stats, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { RegistryError } from '../../errors.ts';

/** What `agent-registry init` writes, and every command reads in the folder where it starts. */
export const ENV_FILE = 'registry.env';
/** Names another file, which is trusted because the user named it. */
const NAMES_FILE = 'REGISTRY_SETTINGS';
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Adds the settings of registry.env, or of the file that REGISTRY_SETTINGS names, to the environment, which goes before them.
 * Throws a RegistryError `usage` for a file that cannot be read, that others can write, or that has more than settings.
 */
export function useEnvFile(env: NodeJS.ProcessEnv): void {
  const named = env[NAMES_FILE];
  delete env[NAMES_FILE];
  const file = named ?? ENV_FILE;
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined && named === undefined) return;
  if (named === undefined && found !== undefined) refuseOthers(found, file);
  for (const [name, value] of Object.entries(settingsIn(file))) {
    if (!name.startsWith('REGISTRY_') || name === NAMES_FILE)
      throw new RegistryError('usage', `${file}: unknown setting ${name}`, {
        hint: 'names of settings begin with REGISTRY_; remove the line',
      });
    const plain = name.replace(/_FILE$/, '');
    if (env[plain] === undefined && env[`${plain}_FILE`] === undefined) env[name] = value;
  }
}

/** Refuses a settings file that another user could have written. */
function refuseOthers({ uid, mode }: Stats, file: string): void {
  const me = process.getuid?.();
  if (me === undefined) return;
  const isMine = uid === me || uid === 0;
  if (isMine && (mode & WRITABLE_BY_OTHERS) === 0) return;
  throw new RegistryError(
    'usage',
    `settings in ${file} were not read: the file ${isMine ? 'is writable by other users' : 'belongs to another user'}`,
    {
      hint: isMine ? `chmod go-w ${file}` : `to use it anyway, set ${NAMES_FILE}=${file}`,
    },
  );
}

function settingsIn(file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new RegistryError('usage', `the settings in ${file} cannot be read`, {
      cause,
      hint: 'check the path and its permissions',
    });
  }
}
