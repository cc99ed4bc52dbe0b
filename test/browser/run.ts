/**
 * Opens the pages in Debian's Chromium, over what the demo has left: `npm run demo -- --exit && npm run test:browser`. Every page with
 * the keyboard alone, without script, from 320 px to a screen, in light and dark, under axe and its own policy. Exit code 1 when
 * something is wrong with a page.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';
import { createLooker } from './look-at-page.ts';
import { DEMO, type OpenedPage, pagesOf } from './pages.ts';
import { startRegistryProcess } from './registry-process.ts';
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
  const key = makeKeyOf(DEMO.owner, `sqlite:${store}`);
  const registry = await startRegistryProcess(`sqlite:${store}`);
  const signedIn = await signIn(registry.origin, key);
  const pages = pagesOf(DEMO);
  const found = await lookAtAll(browser, registry.origin, pages, signedIn);
  for (const what of found) process.stdout.write(`NO ${what}\n`);
  process.stdout.write(`${pages.length} pages of the demo in Chromium: ${found.length} faults\n`);
  if (found.length > 0) process.exitCode = 1;
  await registry.stop();
  await browser.close();
} finally {
  rmSync(folder, { recursive: true });
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
