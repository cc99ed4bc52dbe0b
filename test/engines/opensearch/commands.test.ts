import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { run, tempFolder } from '../../cli/support/cli.ts';
import { follows } from '../../cli/support/schemas.ts';
import { ADAGENTS, startWeb } from '../../scenarios/support/web.ts';
import { adagents } from '../../scenarios/support/world.ts';
import { freshIndexPrefix, openSearchUrl } from '../support/engines.ts';
import { startProxy } from './proxy.ts';

afterEach(() => vi.unstubAllEnvs());

/** A store of its own with its index in the OpenSearch, reached at these addresses. */
function settings(...nodes: readonly string[]): string {
  vi.stubEnv('REGISTRY_INDEX', nodes.join(','));
  vi.stubEnv('REGISTRY_INDEX_PREFIX', `${freshIndexPrefix()}agents`);
  vi.stubEnv('REGISTRY_INDEX_TIMEOUT_MS', '15000');
  return `sqlite:${join(tempFolder(), 'store.sqlite')}`;
}

describe('commands with the index in an OpenSearch', () => {
  it('count the items that the engine refused and that were sent again', async () => {
    const [proxy, web] = [
      await startProxy(),
      await startWeb({
        'news.example': { [ADAGENTS]: adagents('news.example', 'https://sales.agents.example/mcp') },
      }),
    ];
    onTestFinished(async () => {
      await web.close();
      await proxy.close();
    });
    const store = settings(proxy.url.href);
    let bulks = 0;
    proxy.judge = ({ path }) =>
      path.includes('/_bulk') && bulks++ < 2 ? { status: 429, headers: { 'retry-after': '0' } } : 'pass';
    const file = join(tempFolder(), 'crawl.prom');
    const crawl = ['crawl', 'news.example', '--store', store, '--connect-to', web.connectTo];
    const { code, stderr } = await run(...crawl, '--metrics-file', file, '--progress', 'none');
    expect(code, stderr).toBe(0);
    expect(readFileSync(file, 'utf8')).toMatch(/^registry_index_retried_items_total [1-9]/m);
  });

  it('name all nodes of the engine, without the credentials', async () => {
    const node = new URL(openSearchUrl());
    const other = new URL(node);
    other.hostname = 'localhost';
    for (const url of [node, other]) url.username = 'reader';
    for (const url of [node, other]) url.password = 'very-secret';
    const store = settings(node.href, other.href);
    // nobody answers the crawl: it is here to make the store
    const away = ['--connect-to', '*=http://127.0.0.1:9', '--progress', 'none'];
    expect((await run('crawl', 'news.example', '--store', store, ...away)).code).toBe(1);
    const status = await run('index', 'status', '--store', store);
    expect(status.stdout).toMatch(`engine: opensearch at ${node.origin}, ${other.origin}\n`);
    const json = await run('index', 'status', '--json', '--store', store);
    expect(follows(json.stdout, 'cli/index.json')).toMatchObject({
      engine: { kind: 'opensearch', addresses: [node.origin, other.origin] },
    });
    expect(status.stdout + status.stderr + json.stdout + json.stderr).not.toContain('secret');
  });
});
