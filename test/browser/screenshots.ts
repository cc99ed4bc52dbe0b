import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { indexedPng } from './indexed-png.ts';
import type { Subjects } from './pages.ts';

const FOLDER = join(import.meta.dirname, '../../docs/screenshots');
/** Of a picture: every clone has them all. */
const MAX_BYTES = 100_000;
const SCREEN = { size: { width: 1_280, height: 800 }, colorScheme: 'light' } as const;
const PHONE = { size: { width: 360, height: 640 }, colorScheme: 'dark' } as const;

/** A file as a stranger has it: entries without the members that the field's clients want. */
const FILE = `{
  "authorized_agents": [
    { "url": "https://sales.example/mcp", "authorized_for": "All of it", "property_tags": ["news"] },
    { "url": "ftp://sales.example", "authorized_for": "" },
  ],
  "properties": [{ "property_type": "website", "name": "News", "tags": ["news"] }]
}
`;

/** What the pictures are of, beside what is in the store. */
interface Taken extends Subjects {
  readonly origin: string;
  /** Of the page of an agent that the lab examined. */
  readonly report: string;
  /** Of the owner. */
  readonly signedIn: BrowserContextOptions;
}

/** Writes the pictures of the main pages that the documents show. */
export async function takePictures(browser: Browser, taken: Taken): Promise<void> {
  const { origin, passing, failing, report, signedIn } = taken;
  // without script no page tells the port of this registry
  const page = await browser.newPage({ reducedMotion: 'reduce', javaScriptEnabled: false, ...signedIn });
  const blank = await browser.newPage();
  const open = async (path: string, { size, colorScheme }: typeof SCREEN | typeof PHONE = SCREEN) => {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    await page.goto(origin + path, { waitUntil: 'load' });
  };
  const keep = async (name: string) => {
    const picture = await indexedPng(blank, await page.screenshot());
    if (picture.length > MAX_BYTES)
      throw new Error(`the picture ${name} has ${picture.length} bytes, more than ${MAX_BYTES}`);
    writeFileSync(join(FOLDER, `${name}.png`), picture);
  };
  mkdirSync(FOLDER, { recursive: true });
  const agent = (url: string) => `/agents/${encodeURIComponent(url)}`;
  const paths = {
    directory: '/',
    agent: agent(passing),
    'failing-agent': `${agent(failing)}#tests`,
    'my-agent': `/my${agent(failing)}`,
    publisher: '/publishers/candlewick-courier.example',
    network: '/networks/oakline-network.example',
    storyboard: '/storyboards/capability_discovery',
    lab: report,
    status: '/status',
    changes: '/changes',
    docs: '/docs',
    operation: '/docs/api/listAgents',
  };
  for (const [name, path] of Object.entries(paths)) {
    await open(path);
    await keep(name);
  }
  await open(`/badges/${encodeURIComponent(passing)}/media-buy`);
  await page.getByRole('link', { name: 'Full report' }).first().click();
  await keep('run');
  await open('/validate');
  await page.getByLabel('Paste the file', { exact: true }).fill(FILE);
  await page.getByLabel('Domain of the publisher (optional)', { exact: true }).fill('news.example');
  await page.getByRole('button', { name: 'Validate', exact: true }).click();
  await page.locator('#verdict').waitFor();
  await keep('validate');
  await open('/', PHONE);
  await keep('directory-phone');
  await page.close();
  await blank.close();
}
