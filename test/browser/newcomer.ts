import type { Browser, Page } from 'playwright-core';
import { type Arrived, type Newcomer, WAYS } from './newcomer-ways.ts';

/** For a step: a whole way takes 3 to 11 seconds, and who waits a minute has gone elsewhere. */
const PATIENCE_MS = 60_000;
const TRIES = 4;
const BUSY: Walk = { faults: ['the registry has no time for its pages'], told: 'never' };

/**
 * Goes each way from the first page, with script and a window of its own. What did not come of it, and a line for each way:
 * how many clicks, keys and seconds it took, which is told and held against nobody.
 */
export async function newcomerFaults(
  browser: Browser,
  origin: string,
  subjects: Arrived,
): Promise<{ readonly found: readonly string[]; readonly told: readonly string[] }> {
  const found: string[] = [];
  const told: string[] = [];
  for (const [way, go] of Object.entries(WAYS)) {
    let walked: Walk | undefined;
    for (let tries = 0; walked === undefined && tries < TRIES; tries += 1)
      walked = await walk(browser, origin, (who) => go(who, subjects));
    const { faults, told: how } = walked ?? BUSY;
    told.push(`a newcomer can ${way}: ${how}`);
    found.push(...faults.map((what) => `a newcomer cannot ${way}: ${what}`));
  }
  return { found, told };
}

interface Walk {
  readonly faults: readonly string[];
  readonly told: string;
}

/** One way from the first page; undefined when the registry had no time for a page of it, which is the machine's doing. */
async function walk(
  browser: Browser,
  origin: string,
  go: (who: Newcomer) => Promise<readonly string[]>,
): Promise<Walk | undefined> {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const context = await browser.newContext({ reducedMotion: 'reduce', permissions });
  context.setDefaultTimeout(PATIENCE_MS);
  const who = newcomer(await context.newPage());
  let isBusy = false;
  who.page.on('response', (response) => {
    isBusy ||= response.status() === 503;
  });
  const began = performance.now();
  try {
    await who.page.goto(`${origin}/`);
    const faults = await go(who);
    const { clicks, keys } = who.acts;
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    return isBusy && faults.length > 0
      ? undefined
      : { faults, told: `${clicks} clicks, ${keys} keys, ${seconds} s` };
  } catch (error) {
    if (!isBusy) throw error;
    return undefined;
  } finally {
    await context.close();
  }
}

function newcomer(page: Page): Newcomer {
  const acts = { clicks: 0, keys: 0 };
  return {
    page,
    acts,
    async click(role, name) {
      acts.clicks += 1;
      await page
        .getByRole(role, { name, ...(typeof name === 'string' && { exact: true }) })
        .first()
        .click();
    },
    async type(label, text) {
      acts.clicks += 1;
      acts.keys += text.length;
      await page.getByLabel(label, { exact: true }).pressSequentially(text);
    },
    async press(keys) {
      acts.keys += 1;
      await page.keyboard.press(keys);
    },
  };
}
