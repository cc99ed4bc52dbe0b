import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';

/** The client imports a little of the folders beside it. */
const SOURCES = new URL('../../src/', import.meta.url);

/** What is wrong with `agent-registry/client` in a page of another origin: it reads a list and a refusal. */
export async function clientFaults(browser: Browser, registry: string): Promise<readonly string[]> {
  const site = createServer(({ url = '/' }, response) => {
    if (!url.endsWith('.ts'))
      return response.setHeader('content-type', 'text/html').end('<title>a page</title>');
    const text = stripTypeScriptTypes(readFileSync(new URL(`.${url}`, SOURCES), 'utf8'));
    return response.setHeader('content-type', 'text/javascript').end(text);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const page = await browser.newPage();
  try {
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    const said = await page.evaluate(inPage(registry));
    return said === 'measurement measurement measurement invalid_key'
      ? []
      : [`the client in a page says: ${said}`];
  } finally {
    await page.close();
    site.close();
  }
}

/** As text: a page has modules of its own. */
function inPage(registry: string): string {
  return `(async () => {
    const { createClient } = await import('/client/index.ts');
    const baseUrl = ${JSON.stringify(registry)};
    const types = [];
    for await (const { type } of createClient({ baseUrl }).items('listAgents', { type: 'measurement', limit: 1 })) {
      types.push(type);
      if (types.length === 3) break;
    }
    const refused = createClient({ baseUrl, apiKey: 'no-key' }).call('getRegistryStats');
    return [...types, await refused.catch(({ code }) => code)].join(' ');
  })()`;
}
