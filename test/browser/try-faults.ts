import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import {
  type ApiDocument,
  type DescribedOperation,
  operationsOf,
  type Parameter,
} from '../../src/pages/docs/document.ts';
import { HOSTILE_ANSWERS, type HostileAnswer, hostileRegistry } from './hostile-answers.ts';
import { askPage, press } from './page-checks.ts';
import { watchPage } from './window.ts';

const PHONE = { width: 360, height: 640 };
/** No limit is a behaviour: on a busy machine an answer may take long. */
const PATIENCE_MS = 60_000;
const SEND = '.try button';
/** Of an answer as it came, and laid out, with the line that says that there is more. */
const MOST_SHOWN = 2 * 200_000 + 100;

/** What is asked for where no example can name it. */
const TYPED: Readonly<Record<string, string>> = { url: 'https://asked.tidewater.example/mcp' };

interface Form {
  readonly page: Page;
  /** What the page did that none may do. */
  readonly found: string[];
}

/**
 * Sends the form of every operation by the keyboard alone, as `key`'s owner where one is needed, then one form to a registry whose
 * answers want to break the page. What did not come of it.
 */
export async function tryFaults(browser: Browser, origin: string, key: string): Promise<readonly string[]> {
  const document = (await (await fetch(`${origin}/openapi.json`)).json()) as ApiDocument;
  const found: string[] = [];
  await withForm(browser, origin, async (form) => {
    for (const described of operationsOf(document))
      found.push(...(await tryOperation(form, origin, described, key)));
    found.push(...(await keyFaults(form.page, `${origin}/docs/api/listMyAgents#try`, key)));
  });
  const hostile = await hostileRegistry(origin);
  await withForm(browser, hostile.origin, async (form) => {
    await form.page.goto(`${hostile.origin}/docs/api/listAgents#try`);
    await tabTo(form.page, SEND);
    for (const one of HOSTILE_ANSWERS) {
      hostile.answer = one.answer;
      found.push(...(await tryHostile(form, one)));
      // whoever has seen enough asks for no more
      if ((await Promise.race([hostile.over, delay(PATIENCE_MS, 'open', { ref: false })])) === 'open')
        found.push(`a form that is answered with ${one.what} leaves the connection open`);
    }
  });
  hostile.close();
  return found;
}

async function withForm(browser: Browser, origin: string, use: (form: Form) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ viewport: PHONE, reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const found: string[] = [];
  // an answer that is no good one is told in the console, too
  watchPage(
    page,
    origin,
    (message) => message.text().startsWith('Failed to load resource'),
    (what) => found.push(what),
  );
  await use({ page, found });
  await context.close();
}

/** A form that was sent has an answer, whatever it is; one that has no end of its own says so far. */
const DONE = String.raw`in \d+ ms$|^No answer|^Stopped`;

async function tryOperation(
  { page, found }: Form,
  origin: string,
  { operation }: DescribedOperation,
  key: string,
): Promise<string[]> {
  const { operationId, parameters = [], responses, security } = operation;
  const name = `/docs/api/${operationId}`;
  await page.goto(`${origin}${name}#try`);
  const isMissing = (one: Parameter) => one.required === true && one.example === undefined;
  const typed = parameters.filter(isMissing).map((one) => [`#field-${one.name}`, TYPED[one.name] ?? 'none']);
  if (security?.some((way) => 'apiKey' in way)) typed.push(['#api-key', key]);
  // a stream that would begin with all that stands has more than is shown at once
  const isStream = JSON.stringify(responses).includes('text/event-stream');
  if (isStream) typed.unshift(['#field-types', 'agent.verification_earned']);
  for (const [field = '', text = ''] of typed)
    if (await tabTo(page, field)) await page.keyboard.insertText(text);
    else return [`${name}: the keyboard does not come to ${field}`];
  if (!(await tabTo(page, SEND))) return [`${name}: the keyboard does not come to its button`];
  const said = await send(page, isStream ? ['event: feed', '[data-body]'] : undefined);
  const status = /^\d+/.exec(said)?.[0] ?? '';
  const isTold = isStream ? said.startsWith('Stopped') : status in responses && status !== '500';
  const wrong = [...(isTold ? [] : [`says "${said}"`]), ...found.splice(0), ...(await shownFaults(page))];
  return wrong.map((what) => `${name}: ${what}`);
}

/** A key is sent, and stands nowhere but in its field, until the page is left. */
async function keyFaults(page: Page, url: string, key: string): Promise<string[]> {
  await page.goto(url);
  const field = page.locator('#api-key');
  await field.fill(key);
  await page.locator(SEND).focus();
  const said = await send(page);
  const text = await page.locator('body').textContent();
  await page.reload();
  const isKept = text?.includes(key) === true || (await field.inputValue()) !== '';
  return [
    ...(said.startsWith('200 ') ? [] : [`a form with a key says "${said}"`]),
    ...(isKept ? ['a form shows its key, or keeps it'] : []),
  ];
}

async function tryHostile({ page, found }: Form, { what, says, endless }: HostileAnswer): Promise<string[]> {
  const said = await send(page, endless === undefined ? undefined : [endless]);
  const isTold = new RegExp(says).test(said);
  const wrong = [...(isTold ? [] : [`says "${said.slice(0, 200)}"`]), ...found.splice(0)];
  return [...wrong, ...(await shownFaults(page))].map(
    (fault) => `a form that is answered with ${what}: ${fault}`,
  );
}

/** Presses the button that has the focus, and once more to stop what has no end as soon as that is shown; what is said then. */
async function send(page: Page, endless?: readonly [pattern: string, place?: string]): Promise<string> {
  await page.keyboard.press('Enter');
  if (endless !== undefined) {
    await askPage(page, `said(${endless.map((one) => JSON.stringify(one)).join()})`);
    await page.keyboard.press('Enter');
  }
  return askPage<string>(page, `said(${JSON.stringify(DONE)})`);
}

function shownFaults(page: Page): Promise<string[]> {
  return askPage<string[]>(page, `answerFaults(${MOST_SHOWN})`);
}

/** Whether so many Tabs as there are stops before it lead to it. */
async function tabTo(page: Page, selector: string): Promise<boolean> {
  const goal = JSON.stringify(selector);
  const stops = await askPage<number>(page, `stopsTo(${goal})`);
  await press(page, Array(stops).fill('Tab'));
  return page.evaluate<boolean>(`document.activeElement === document.querySelector(${goal})`);
}
