import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
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
  const blank = await browser.newPage();
  return {
    async lookAt(asked) {
      const { found, isTheSameWithout } = await withScript(usual, asked, blank);
      const more = isTheSameWithout ? [] : await withoutScript(scriptless, asked);
      return [...found, ...more].map((what) => `${asked.path}: ${what}`);
    },
    async close() {
      await usual.close();
      await scriptless.close();
      await blank.close();
    },
  };
}

/** And whether that is how it is without script, too, as for most pages: only a form may be sent in another way there. */
async function withScript(
  window: OpenWindow,
  asked: OpenedPage,
  blank: Page,
): Promise<{ readonly found: string[]; readonly isTheSameWithout: boolean }> {
  return window.visit(asked, async (page, opened, html) => {
    // a page of ours makes no HTML of a text itself: its policy forbids it
    const served = await askPage<string>(blank, `parsed(${JSON.stringify(html)})`);
    const isAsServed = served === (await page.evaluate('document.documentElement.outerHTML'));
    const isTheSameWithout = isAsServed && asked.form === undefined;
    const found = [...(await keyboardFaults(page)), ...(await overflows(page))];
    if (isTheSameWithout) found.push(...(await askPage<string[]>(page, 'scriptless()')));
    // what the page did by itself is known before axe, which is no part of it
    return {
      found: [...opened(), ...found, ...(await axeFaults(page, !asked.hasKnownColours))],
      isTheSameWithout,
    };
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
