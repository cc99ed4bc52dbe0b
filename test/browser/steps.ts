import type { Browser, Page } from 'playwright-core';

/** What people do on pages with script; each says what did not come of it. */
export async function stepFaults(browser: Browser, origin: string): Promise<readonly string[]> {
  const page = await browser.newPage();
  try {
    return [...(await suggestions(page, origin)), ...(await wholeFile(page, origin))];
  } finally {
    await page.close();
  }
}

/** Typing into the search suggests, the arrow keys choose, Enter takes it, and Escape puts the list away. */
async function suggestions(page: Page, origin: string): Promise<readonly string[]> {
  const found: string[] = [];
  await page.goto(`${origin}/`);
  const box = page.getByRole('combobox', { name: 'Search' });
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

/** On a wide screen a file with a dozen findings is shown as a whole: nothing is cut inside of its box. */
async function wholeFile(page: Page, origin: string): Promise<readonly string[]> {
  const entry = (at: number) => ({
    url: `https://a${at}.example/`,
    authorization_type: 'property_ids',
    countries: ['germany'],
  });
  const text = JSON.stringify(
    { authorized_agents: Array.from({ length: 4 }, (_, at) => entry(at)) },
    null,
    2,
  );
  await page.setViewportSize({ width: 1_440, height: 900 });
  await page.goto(`${origin}/validate`);
  await page.locator('#text').fill(text);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  const box = page.getByRole('region', { name: 'The file with its findings' });
  await box.waitFor();
  const { shown, all } = await box.evaluate(({ clientHeight: shown, scrollHeight: all }) => ({ shown, all }));
  return all > 750 && all <= shown ? [] : [`/validate: the file is ${all} pixels high and shown in ${shown}`];
}
