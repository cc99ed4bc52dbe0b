import { chromium } from 'playwright-core';
import { PAGE_KINDS, type PageKind } from './page-paths.ts';
import { median, quantile } from './statistics.ts';
import { printTable } from './table.ts';

const CHROMIUM = '/usr/bin/chromium';
const LOADS = 20;
const PAINT = `new Promise((resolve) => {
  const found = (list) => list.getEntriesByName('first-contentful-paint').forEach((one) => resolve(one.startTime));
  new PerformanceObserver(found).observe({ type: 'paint', buffered: true });
})`;

/** When Chromium first shows content of each kind of page (Paint Timing), with nothing in its cache. */
export async function timePaint(
  origin: string,
  paths: Readonly<Record<PageKind, readonly string[]>>,
): Promise<void> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--disable-gpu'] });
  try {
    const rows = [];
    for (const kind of PAGE_KINDS) {
      const times: number[] = [];
      for (const path of paths[kind].slice(0, LOADS)) {
        const context = await browser.newContext();
        const page = await context.newPage();
        await page.goto(origin + path, { waitUntil: 'load' });
        times.push(await page.evaluate<number>(PAINT));
        await context.close();
      }
      const worst = quantile(times, 1);
      rows.push({ page: kind, 'median ms': median(times), 'worst ms': worst, target: 'median < 200 ms' });
    }
    printTable(`First contentful paint, Chromium, ${LOADS} cold loads a row`, rows);
  } finally {
    await browser.close();
  }
}
