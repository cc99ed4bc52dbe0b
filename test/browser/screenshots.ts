import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { indexedPng } from './indexed-png.ts';
import type { Subjects } from './pages.ts';

const FOLDER = join(import.meta.dirname, '../../docs/screenshots');
/** Of a picture: every clone has them all. */
const MAX_BYTES = 100_000;
const SCREEN = { size: { width: 1_280, height: 800 }, colorScheme: 'light' } as const;
const PHONE = { size: { width: 360, height: 640 }, colorScheme: 'dark' } as const;

/** Writes the pictures of the main pages that the documents show. */
export async function takePictures(browser: Browser, origin: string, subjects: Subjects): Promise<void> {
  // without script no page tells the port of this registry
  const page = await browser.newPage({ reducedMotion: 'reduce', javaScriptEnabled: false });
  const blank = await browser.newPage();
  const take = async (name: string, path: string, { size, colorScheme }: typeof SCREEN | typeof PHONE) => {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    await page.goto(origin + path, { waitUntil: 'load' });
    const picture = await indexedPng(blank, await page.screenshot());
    if (picture.length > MAX_BYTES)
      throw new Error(`the picture ${name} has ${picture.length} bytes, more than ${MAX_BYTES}`);
    writeFileSync(join(FOLDER, `${name}.png`), picture);
  };
  mkdirSync(FOLDER, { recursive: true });
  await take('directory', '/', SCREEN);
  await take('directory-phone', '/', PHONE);
  await take('agent', `/agents/${encodeURIComponent(subjects.passing)}`, SCREEN);
  await take('failing-agent', `/agents/${encodeURIComponent(subjects.failing)}#tests`, SCREEN);
  await take('publisher', '/publishers/candlewick-courier.example', SCREEN);
  await take('storyboard', '/storyboards/capability_discovery', SCREEN);
  await take('status', '/status', SCREEN);
  await take('validate', '/validate', SCREEN);
  await take('lab', '/lab', SCREEN);
  await page.close();
  await blank.close();
}
