import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FakeWeb } from '../scenarios/support/web.ts';
import { HOSTILE_DOMAINS } from './hostile-web.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

/** `agent-registry crawl` over the hostile web, into this store. */
export async function crawlHostileWeb(web: Pick<FakeWeb, 'connectTo'>, store: string): Promise<void> {
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
  await promisify(execFile)(process.execPath, [MAIN, 'crawl', ...HOSTILE_DOMAINS, ...options], {
    env: { ...process.env, REGISTRY_LOG_LEVEL: 'error', REGISTRY_CONTROL_URLS: 'none' },
  });
}
