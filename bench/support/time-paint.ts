import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium } from 'playwright-core';
import { PAGE_KINDS, type PageKind } from './page-paths.ts';
import { median, quantile } from './statistics.ts';
import { printTable } from './table.ts';

const CHROMIUM = '/usr/bin/chromium';
const LOADS = 20;
const PAINT = `new Promise((resolve) => {
  const found = (list) => list.getEntriesByName('first-contentful-paint').forEach((one) => resolve(one.startTime));
  new PerformanceObserver(found).observe({ type: 'paint', buffered: true });
})`;

const BARE = '<!doctype html><html lang="en"><title>Bare</title><h1>Bare</h1>';

/**
 * When Chromium first shows content of each kind of page (Paint Timing), with nothing in its cache; the floor is a heading without
 * a style, in turns with them.
 */
export async function timePaint(
  origin: string,
  paths: Readonly<Record<PageKind, readonly string[]>>,
): Promise<void> {
  const bare = createServer((_, response) => response.setHeader('content-type', 'text/html').end(BARE));
  await once(bare.listen(0, '127.0.0.1'), 'listening');
  const floor = `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`;
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--disable-gpu'] });
  try {
    const rows = [];
    for (const kind of PAGE_KINDS) {
      const [times, floors]: [number[], number[]] = [[], []];
      for (const path of paths[kind].slice(0, LOADS)) {
        times.push(await paintOf(browser, origin + path));
        floors.push(await paintOf(browser, floor));
      }
      rows.push({
        page: kind,
        'median ms': median(times),
        'worst ms': quantile(times, 1),
        'bare, median ms': median(floors),
        'of the bare': median(times) / median(floors),
        target: 'median < 200 ms',
      });
    }
    printTable(`First contentful paint, Chromium, ${LOADS} cold loads a row`, rows);
  } finally {
    await browser.close();
    bare.close();
  }
}

async function paintOf(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url, { waitUntil: 'load' });
  const time = await page.evaluate<number>(PAINT);
  await context.close();
  return time;
}
