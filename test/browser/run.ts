/**
 * Opens the pages in Debian's Chromium, over what the demo has left, and over what a hostile web leaves:
 * `npm run demo -- --exit && npm run test:browser`. Every page with the keyboard alone, without script, from 320 px to a screen, in
 * light and dark, under axe and its own policy. Exit code 1 when something is wrong with a page. With `--screenshots` it writes
 * the pictures of docs/screenshots instead.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';
import { crawlHostileWeb } from './hostile-store.ts';
import { hostilePages } from './hostile-web.ts';
import { createLooker } from './look-at-page.ts';
import { DEMO, type OpenedPage, pagesOf } from './pages.ts';
import { startRegistryProcess } from './registry-process.ts';
import { takePictures } from './screenshots.ts';
import { makeKeyOf, signIn } from './sign-in.ts';

const CHROMIUM = '/usr/bin/chromium';
const DEMO_STORE = '.registry/demo.sqlite';
/** Two cores. */
const LOOKERS = 2;

if (!existsSync(CHROMIUM)) stop('this needs Chromium (on Debian: apt-get install chromium)');
if (!existsSync(DEMO_STORE)) stop('this needs what the demo leaves: npm run demo -- --exit');
const folder = mkdtempSync(join(tmpdir(), 'browser-'));
try {
  const store = join(folder, 'demo.sqlite');
  copyFileSync(DEMO_STORE, store);
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--disable-gpu', '--disable-quic', '--disable-smooth-scrolling'],
  });
  if (process.argv.includes('--screenshots')) {
    await overStore(store, (origin) => takePictures(browser, origin, DEMO));
  } else {
    const hostile = join(folder, 'hostile.sqlite');
    await crawlHostileWeb(`sqlite:${hostile}`);
    const key = makeKeyOf(DEMO.owner, `sqlite:${store}`);
    await judge(browser, ['the demo', store], pagesOf(DEMO), (origin) => signIn(origin, key));
    await judge(browser, ['a hostile web', hostile], hostilePages(), async () => ({}));
  }
  await browser.close();
} finally {
  rmSync(folder, { recursive: true });
}

/** Says what is wrong with these pages, and how many there are. */
async function judge(
  browser: Browser,
  [what, store]: readonly [what: string, store: string],
  pages: readonly OpenedPage[],
  windowOf: (origin: string) => Promise<BrowserContextOptions>,
): Promise<void> {
  const found = await overStore(store, async (origin) =>
    lookAtAll(browser, origin, pages, await windowOf(origin)),
  );
  for (const fault of found) process.stdout.write(`NO ${fault}\n`);
  process.stdout.write(`${pages.length} pages of ${what} in Chromium: ${found.length} faults\n`);
  if (found.length > 0) process.exitCode = 1;
}

/** What is done while a registry serves this store. */
async function overStore<Done>(store: string, work: (origin: string) => Promise<Done>): Promise<Done> {
  const registry = await startRegistryProcess(`sqlite:${store}`);
  try {
    return await work(registry.origin);
  } finally {
    await registry.stop();
  }
}

/** Several at once; each takes the next page when it has done with one. */
async function lookAtAll(
  browser: Browser,
  origin: string,
  pages: readonly OpenedPage[],
  signedIn: BrowserContextOptions,
): Promise<readonly string[]> {
  const waiting = pages.values();
  const lookers = Array.from({ length: LOOKERS }, async () => {
    const looker = await createLooker(browser, origin, signedIn);
    const found: string[] = [];
    for (const page of waiting) found.push(...(await looker.lookAt(page)));
    await looker.close();
    return found;
  });
  return (await Promise.all(lookers)).flat();
}

function stop(sentence: string): never {
  process.stderr.write(`test:browser: ${sentence}\n`);
  process.exit(1);
}
