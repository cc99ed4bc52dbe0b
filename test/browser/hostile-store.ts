import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startWeb } from '../scenarios/support/web.ts';
import { HOSTILE_DOMAINS, hostileWeb } from './hostile-web.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

/** `agent-registry crawl` over the hostile web, into this store. */
export async function crawlHostileWeb(store: string): Promise<void> {
  const web = await startWeb(hostileWeb());
  const options = [
    '--store',
    store,
    '--connect-to',
    web.connectTo,
    '--progress',
    'none',
    '--fail-above',
    '100',
  ];
  try {
    await promisify(execFile)(process.execPath, [MAIN, 'crawl', ...HOSTILE_DOMAINS, ...options], {
      env: { ...process.env, REGISTRY_LOG_LEVEL: 'error', REGISTRY_CONTROL_URLS: 'none' },
    });
  } finally {
    await web.close();
  }
}
