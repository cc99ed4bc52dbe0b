import type { Browser, Page } from 'playwright-core';

/** What people do on pages with script; each says what did not come of it. */
export async function stepFaults(browser: Browser, origin: string): Promise<readonly string[]> {
  const page = await browser.newPage();
  try {
    return [...(await suggestions(page, origin)), ...(await editor(page, origin))];
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

/** On a wide screen the findings are beside the editor; the link of a finding selects its line, and a file that is chosen opens. */
async function editor(page: Page, origin: string): Promise<readonly string[]> {
  const entry = (at: number) => ({
    url: `https://a${at}.example/`,
    authorization_type: 'property_ids',
    countries: ['germany'],
  });
  const text = JSON.stringify(
    { authorized_agents: Array.from({ length: 8 }, (_, at) => entry(at)) },
    null,
    2,
  );
  const found: string[] = [];
  await page.setViewportSize({ width: 1_440, height: 900 });
  await page.goto(`${origin}/validate`);
  const box = page.locator('#text');
  await page
    .getByLabel('Upload or drop a file', { exact: true })
    .setInputFiles({ name: 'adagents.json', mimeType: 'application/json', buffer: Buffer.from(text) });
  await page.locator('.gutter span').nth(5).waitFor();
  if ((await box.inputValue()) !== text) found.push('/validate: a file that is chosen does not open');
  await page.getByRole('button', { name: 'Validate', exact: true }).click();
  const last = page.locator('a[data-line]').last();
  await last.waitFor();
  await page.locator('.gutter span').nth(5).waitFor(); // drawn by the script that selects the line
  const [left, right] = [await box.boundingBox(), await page.locator('#found').boundingBox()];
  if (left === null || right === null || right.x < left.x + left.width)
    found.push('/validate: the findings are not beside the editor');
  await last.click();
  const selected = await box.evaluate(({ value, selectionStart, selectionEnd, scrollTop }) => {
    return {
      line: value.slice(0, selectionStart).split('\n').length,
      text: value.slice(selectionStart, selectionEnd),
      isScrolled: scrollTop > 0,
    };
  });
  const line = Number(await last.getAttribute('data-line'));
  if (selected.line !== line || selected.text !== text.split('\n')[line - 1] || !selected.isScrolled)
    found.push(`/validate: line ${line} is linked, and ${JSON.stringify(selected)} is selected`);
  const numbers = await page.locator('.gutter').innerText();
  if (!numbers.split('\n').includes(String(line))) found.push('/validate: line numbers do not follow');
  return found;
}
