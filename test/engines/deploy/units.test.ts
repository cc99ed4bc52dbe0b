import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../deploy/support/compose-file.ts';
import { startServing } from '../../deploy/support/served-process.ts';
import { INSTALLED, serviceCommands } from '../../deploy/support/unit-files.ts';
import { freshDatabase, freshIndexPrefix, openSearchUrl } from '../support/engines.ts';

const ON_QUEUE = serviceCommands().filter(([name]) => ['schedule', 'work'].includes(name));

it.each(ON_QUEUE)('SIGTERM to the unit of %s ends the process and closes its port', async (_name, words) => {
  const env = {
    ...process.env,
    REGISTRY_STORE: await freshDatabase(),
    REGISTRY_INDEX: openSearchUrl(),
    REGISTRY_INDEX_PREFIX: `${freshIndexPrefix()}agents`,
  };
  const here = words.map((word, at) => {
    if (words[at - 1] === '--port') return '0';
    return word === INSTALLED ? join(ROOT, 'bin/agent-registry.mjs') : word;
  });
  const { child, isServing, ended } = await startServing(here, env, ROOT);
  expect(await isServing()).toBe(true);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(await isServing()).toBe(false);
});
