import { readFileSync } from 'node:fs';
import { nearestName } from './base/near-names.ts';
import { type Setting, variablesOf } from './config/setting.ts';
import { SETTINGS } from './config/settings.ts';
import { RegistryError } from './errors.ts';

export { variablesOf } from './config/setting.ts';
export { type LogLevel, SETTINGS } from './config/settings.ts';

type Values = { readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K]['fallback'] };

/** The program's configuration, all members set. */
export interface Config extends Values {
  /** The files that secret settings were read from, by the names of the settings. */
  readonly secretFiles?: Readonly<Partial<Record<keyof Values, string>>>;
}

/** Whether the operator set a contact of their own; the placeholder leads nowhere. */
export function hasOwnContact({ contact }: Pick<Config, 'contact'>): boolean {
  return contact !== SETTINGS.contact.fallback;
}

/** The nodes of the OpenSearch, credentials and all; none when the index is in the records. */
export function indexNodes({ index }: { readonly index: string }): readonly URL[] {
  return index === 'records' ? [] : index.split(',').map((address) => new URL(address.trim()));
}

/** Variables that other parts of the project read; they configure tests, not the program. */
const ELSEWHERE = ['REGISTRY_SEED'];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration from the environment; throws a RegistryError `usage` for an unknown or bad variable. A secret
 * setting REGISTRY_X may be in a file instead, which REGISTRY_X_FILE names.
 */
export function readConfig(env: Environment): Config {
  const known = new Set<string>([...Object.values(SETTINGS).flatMap(variablesOf), ...ELSEWHERE]);
  const unknown = Object.keys(env).find((name) => name.startsWith('REGISTRY_') && !known.has(name));
  if (unknown !== undefined) {
    const near = nearestName(unknown, known);
    throw new RegistryError('usage', `unknown setting ${unknown}`, {
      hint: near === undefined ? `known settings: ${[...known].join(', ')}` : `did you mean ${near}?`,
    });
  }
  const settings: readonly (readonly [string, Setting<unknown>])[] = Object.entries(SETTINGS);
  const values = settings.map(([name, item]) => [name, settingValue(item, textOf(item, env))]);
  const files = settings.flatMap(([name, item]) => {
    const path = item.secret === true ? env[`${item.env}_FILE`] : undefined;
    return path === undefined ? [] : [[name, path]];
  });
  return { ...Object.fromEntries(values), secretFiles: Object.fromEntries(files) } as Config;
}

/**
 * What the file of a secret setting says now, which an operator may have written anew; undefined for a setting that came
 * from no file, and for a file that cannot be used at the moment.
 */
export function readSecretAgain(config: Config, name: 'store' | 'index'): string | undefined {
  const path = config.secretFiles?.[name];
  if (path === undefined) return undefined;
  const item: Setting<string> = SETTINGS[name];
  try {
    return item.parse(readSecret(path, `${item.env}_FILE`));
  } catch {
    return undefined; // it is being written: the next refusal reads it again
  }
}

/** The text of a setting, from its variable or from the file that the other one names. */
function textOf(item: Setting<unknown>, env: Environment): string | undefined {
  const [fileVariable, text] = [`${item.env}_FILE`, env[item.env]];
  const path = item.secret === true ? env[fileVariable] : undefined;
  if (path === undefined) return text;
  if (text === undefined) return readSecret(path, fileVariable);
  throw new RegistryError('usage', `${item.env} and ${fileVariable} are both set`, {
    hint: 'remove one of them',
  });
}

/** Without the line end that an editor or `echo` leaves. */
function readSecret(path: string, variable: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw new RegistryError('usage', `${variable}: cannot read ${path}`, {
      cause,
      hint: 'check the path and that the user of this process can read the file',
    });
  }
}

function settingValue(item: Setting<unknown>, value: string | undefined): unknown {
  if (value === undefined) return item.fallback;
  const parsed = item.parse(value);
  if (parsed !== undefined) return parsed;
  const example = String(item.fallback);
  throw new RegistryError('usage', `invalid value of ${item.env}`, {
    hint: example === '' ? item.description : `${item.description}; for example ${example}`,
  });
}
