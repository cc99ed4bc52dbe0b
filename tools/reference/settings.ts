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
        : [`- Secret. Set \`${file}\` to a file that contains the value, to keep it out of process lists.`]),
      '',
    ].join('\n');
  });
  const head = pageHead(
    'Settings',
    [
      'Each setting is an environment variable. The program refuses to start with an unknown variable that begins with `REGISTRY_`.',
      '`agent-registry init` writes the most important ones to `registry.env`. Commands read this file from the folder in which they start.',
      'Set `REGISTRY_SETTINGS` to use another file. Environment variables override the file.',
      'See [Operating a registry](../operating/README.md#settings) for the settings to start with.',
    ].join('\n'),
  );
  return [head, ...settings].join('\n');
}

function defaultOf(fallback: unknown): string {
  if (fallback === '' || (Array.isArray(fallback) && fallback.length === 0)) return 'none';
  return code(fallback);
}
