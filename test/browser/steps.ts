import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { axeFaults, keyboardFaults, overflows } from './page-checks.ts';

/** No limit is a behaviour: on a busy machine a step may take long. */
const PATIENCE_MS = 240_000;

/** What people do on pages with script; each says what did not come of it. */
export async function stepFaults(browser: Browser, origin: string): Promise<readonly string[]> {
  const page = await browser.newPage();
  try {
    return [...(await suggestions(page, origin))];
  } finally {
    await page.close();
  }
}

/** Typing into the search suggests, the arrow keys choose, Enter takes it, and Escape puts the list away. */
async function suggestions(page: Page, origin: string): Promise<readonly string[]> {
  const found: string[] = [];
  await page.goto(`${origin}/`);
  const box = page.getByRole('combobox', { name: 'Words' });
  if ((await box.count()) !== 1) return ['/: the search is no combobox'];
  await box.pressSequentially('viewab');
  const list = page.getByRole('listbox');
  await list.waitFor();
  const [first = ''] = await list.getByRole('option').allTextContents();
  if (!/measurement/.test(first)) found.push(`/: "viewab" suggests ${JSON.stringify(first)}`);
  await box.press('ArrowDown');
  if ((await list.locator('[aria-selected="true"]').count()) !== 1)
    found.push('/: the arrow key chooses nothing');
  await box.press('Escape');
  if (await list.isVisible()) found.push('/: Escape leaves the suggestions open');
  await box.press('Enter');
  await page.waitForURL(/[?&]q=/);
  if ((await page.locator('.result').count()) === 0)
    found.push('/: nobody is found who measures viewability');
  return found;
}

/**
 * The owner of a slow agent has it tested and watches: the page of the run brings its steps by itself, and is looked at
 * while the run is under way.
 */
export async function watchedRunFaults(
  browser: Browser,
  origin: string,
  { agent, signedIn }: { readonly agent: string; readonly signedIn: BrowserContextOptions },
): Promise<readonly string[]> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...signedIn });
  const page = await context.newPage();
  try {
    await page.goto(`${origin}/my/agents/${encodeURIComponent(agent)}`);
    await page.getByRole('button', { name: 'Test it now' }).click();
    await page.waitForURL(/\/runs\//);
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    await page.locator('[data-run-storyboards] li li').first().waitFor({ timeout: PATIENCE_MS });
    const found = [...(await keyboardFaults(page)), ...(await overflows(page)), ...(await axeFaults(page))];
    if (loads > 0) found.push('the page loads itself again, though it has a script');
    if ((await page.locator('[data-run-state]').textContent()) !== 'Running')
      found.push('it is over already');
    return found.map((what) => `a test that is watched: ${what}`);
  } finally {
    await context.close();
  }
}
