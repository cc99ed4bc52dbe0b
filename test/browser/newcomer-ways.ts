import type { Page } from 'playwright-core';
import { axeFaults, keyboardFaults, overflows } from './page-checks.ts';
import type { Subjects } from './pages.ts';

/** A file that a stranger has by hand: three faults, each of which can only be meant in one way. */
const BROKEN = `{
  "authorized_agents": [
    { "url": "https://sales.example/mcp", "authorized_for": "All of it", },
  ],
}
`;

/** Somebody who knows nothing of the registry: reads what is there, and acts on it. Their acts are counted. */
export interface Newcomer {
  readonly page: Page;
  readonly acts: { clicks: number; keys: number };
  /** Follows a link, or presses a button, by its words. */
  click(role: 'link' | 'button', name: string | RegExp): Promise<void>;
  type(label: string, text: string): Promise<void>;
  press(keys: string): Promise<void>;
}

export interface Arrived extends Subjects {
  /** Of the owner: what the demo shows. */
  readonly key: string;
  /** Starts what tests agents, which takes much of the machine. */
  readonly startTests: () => { stop(): void };
}

/** What a newcomer comes for; each says what did not come of it. */
export const WAYS: Readonly<
  Record<string, (who: Newcomer, subjects: Arrived) => Promise<readonly string[]>>
> = {
  'find a vendor of viewability whose accreditation holds': findVendor,
  'see why an agent fails': seeWhy,
  'check a file, and put it right': mendFile,
  'watch a test': watchTest,
};

/** What the result of a vendor says. */
const HOLDS = /Measures viewable_rate, accredited by .+ until \d{4}/;

async function findVendor({ page, type, press, click }: Newcomer): Promise<readonly string[]> {
  await type('Search', 'viewability');
  await press('Enter');
  await page.waitForURL(/[?&]q=viewability/);
  await click('link', 'viewable_rate');
  await page.waitForURL(/metric_id=viewable_rate/);
  await click('link', 'Hide expired');
  await page.waitForURL(/accreditation_valid=true/);
  const results = await page.locator('.result').allTextContents();
  if (results.length === 0) return ['nobody is found'];
  const wrong = results.filter((text) => !HOLDS.test(text));
  await page.locator('.result h2 a').first().click();
  const body = await page.locator('main').textContent();
  return [
    ...wrong.map((text) => `a vendor is found by "${text}"`),
    ...(body?.includes('viewable_rate') ? [] : ['the page of the vendor does not say that it measures it']),
  ];
}

/** Everybody sees the first step that failed; whoever owns the agent sees what was expected and what came. */
async function seeWhy(who: Newcomer, subjects: Arrived): Promise<readonly string[]> {
  const { page, click } = who;
  await click('link', 'Partly passing');
  await page.waitForURL(/compliance_status=/);
  await page.locator('.result h2 a').first().click();
  who.acts.clicks += 1;
  await page.waitForURL(/\/agents\//);
  const name = (await page.locator('h1').textContent()) ?? '';
  const notice = (await page.locator('.notice').first().textContent()) ?? '';
  const said = /first failure: step “.+” \(\w+\) of “.+”/.test(notice);
  await signInAs(who, subjects);
  await click('link', name);
  const step = page.locator('.step').first();
  await step.waitFor();
  const text = (await step.textContent()) ?? '';
  return [
    ...(said ? [] : [`its page says "${notice}"`]),
    ...(/Expected.*Actual/s.test(text) ? [] : [`its owner sees "${text}"`]),
    ...(text.includes('agent-registry check ') ? [] : ['no command shows it again']),
  ];
}

async function mendFile({ page, click, press }: Newcomer): Promise<readonly string[]> {
  await click('link', 'Validate');
  const box = page.getByLabel('Paste the file', { exact: true });
  await box.fill(BROKEN); // as somebody pastes it
  await click('button', 'Validate');
  const before = await page.locator('#verdict').textContent();
  await click('button', /^Copy/);
  await box.selectText();
  await press('Control+V');
  await click('button', 'Validate');
  await page.locator('.pill.good').first().waitFor();
  const after = await page.locator('#verdict').textContent();
  return [
    ...(/cannot be read|is not valid/.test(before ?? '') ? [] : [`the broken file: ${before}`]),
    ...(/is valid/.test(after ?? '') ? [] : [`the corrected file: ${after}`]),
  ];
}

/** The page of a test brings its steps by itself, and is looked at while the test is under way. */
async function watchTest(who: Newcomer, subjects: Arrived): Promise<readonly string[]> {
  await signInAs(who, subjects);
  const tests = subjects.startTests();
  try {
    return await watch(who, subjects);
  } finally {
    tests.stop();
  }
}

async function watch({ page, click }: Newcomer, subjects: Arrived): Promise<readonly string[]> {
  await page.locator(`a[href="/my/agents/${encodeURIComponent(subjects.watched)}"]`).click();
  await click('button', /^Run (first )?test$/);
  await page.waitForURL(/\/runs\//);
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  await page.locator('[data-run-storyboards] li li').first().waitFor();
  const found = [...(await keyboardFaults(page)), ...(await overflows(page)), ...(await axeFaults(page))];
  if (loads > 0) found.push('the page loads itself again, though it has a script');
  if ((await page.locator('[data-run-state]').textContent()) !== 'Running') found.push('it is over already');
  return found;
}

async function signInAs({ page, click, type }: Newcomer, { key }: Arrived): Promise<void> {
  await click('link', 'Your agents');
  await type('API key', key);
  await click('button', 'Sign in');
  await page.waitForURL(/\/my$/);
}
