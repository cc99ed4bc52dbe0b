import type { Browser, BrowserContextOptions } from 'playwright-core';
import { askPage, axeFaults, keyboardFaults, overflows } from './page-checks.ts';
import type { OpenedPage } from './pages.ts';
import { type OpenWindow, openWindow } from './window.ts';

const PHONE = { width: 360, height: 600 };

/** Opens pages in each way that people do, one after the other. */
export interface Looker {
  /** What is wrong with a page, as sentences. */
  lookAt(page: OpenedPage): Promise<string[]>;
  close(): Promise<void>;
}

export async function createLooker(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Looker> {
  const usual = await openWindow(browser, origin, options);
  const scriptless = await openWindow(browser, origin, {
    ...options,
    javaScriptEnabled: false,
    viewport: PHONE,
  });
  return {
    async lookAt(asked) {
      const found = [...(await withScript(usual, asked)), ...(await withoutScript(scriptless, asked))];
      return found.map((what) => `${asked.path}: ${what}`);
    },
    async close() {
      await usual.close();
      await scriptless.close();
    },
  };
}

async function withScript(window: OpenWindow, asked: OpenedPage): Promise<string[]> {
  return window.visit(asked, async (page, opened) => {
    const found = [...(await keyboardFaults(page)), ...(await overflows(page))];
    // what the page did by itself is known before axe, which is no part of it
    return [...opened(), ...found, ...(await axeFaults(page))];
  });
}

async function withoutScript(window: OpenWindow, asked: OpenedPage): Promise<string[]> {
  const found = await window.visit(asked, async (page, opened) => [
    ...opened(),
    ...(await askPage<string[]>(page, 'scriptless()')),
    ...(await askPage<string[]>(page, 'overflow()')),
  ]);
  return found.map((what) => `without script: ${what}`);
}
