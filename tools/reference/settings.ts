import { variablesOf } from '../../src/config/setting.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { code, pageHead, sentence } from './markdown.ts';

/** Every setting with its variable, meaning and default. */
export function settingsPage(): string {
  const settings = Object.values(SETTINGS).map(({ env, description, fallback, ...rest }) => {
    const [, file] = variablesOf({ env, ...rest });
    return [
      `## \`${env}\``,
      '',
      sentence(description),
      '',
      `- Default: ${defaultOf(fallback)}.`,
      ...(file === undefined
        ? []
        : [
            `- Secret. \`${file}\` names a file with the value instead, so that it stands in no process list.`,
          ]),
      '',
    ].join('\n');
  });
  const head = pageHead(
    'Settings',
    [
      'Each setting is an environment variable. The program refuses a variable that begins with `REGISTRY_` and is not on this page.',
      '`agent-registry init` writes the first ones to `registry.env`. Every command reads that file in the folder where it starts.',
      '`REGISTRY_SETTINGS` names another file. What the environment says goes before a file.',
      '[Operating a registry](../operating/README.md#settings) says which ones to set first.',
    ].join('\n'),
  );
  return [head, ...settings].join('\n');
}

function defaultOf(fallback: unknown): string {
  if (fallback === '' || (Array.isArray(fallback) && fallback.length === 0)) return 'none';
  return code(fallback);
}
