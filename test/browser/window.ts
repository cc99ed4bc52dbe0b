import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, BrowserContextOptions, ConsoleMessage, Page, Response } from 'playwright-core';
import type { OpenedPage } from './pages.ts';

const MAX_BYTES = 150_000;
const SCREEN = { width: 1_440, height: 600 };
/** No limit is a behaviour: on a busy machine a page may take long. */
const PATIENCE_MS = 240_000;
const TRIES = 4;

export interface OpenWindow {
  /** Opens a page, and looks while it is open; `opened` says what was wrong with it so far, `html` is what was served. */
  visit<Seen>(
    asked: OpenedPage,
    look: (page: Page, opened: () => readonly string[], html: string) => Promise<Seen>,
  ): Promise<Seen>;
  close(): Promise<void>;
}

/** A window of a browser of its own, which keeps nothing of one page for the next. */
export async function openWindow(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions,
): Promise<OpenWindow> {
  const { viewport = SCREEN } = options;
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  // each page is weighed with all that it needs
  const session = await context.newCDPSession(page);
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  let found: string[] = [];
  let sizes: Promise<number>[] = [];
  let current: OpenedPage = { path: '' };
  const isOurs = (message: ConsoleMessage) => isStatus(message, current, origin);
  watchPage(page, origin, isOurs, (what) => found.push(what));
  page.on('response', (response) => {
    // a redirect has none
    if (response.status() < 300 || response.status() >= 400)
      sizes.push(response.body().then(({ length }) => length));
  });
  return {
    async visit(asked, look) {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize(viewport ?? SCREEN);
      current = asked;
      const open = async () => {
        [found, sizes] = [[], []];
        const opened = await page.goto(origin + asked.path, { waitUntil: 'load' });
        return asked.form === undefined ? opened : await send(page, asked.form);
      };
      let response = await open();
      for (let tries = 1; isBusy(response, asked) && tries < TRIES; tries += 1) {
        await delay(1_000 * Number(response?.headers()['retry-after'] ?? 1));
        response = await open();
      }
      found.push(...wrongStatus(response, asked), ...(await wrongText(page, asked)));
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      if (bytes > MAX_BYTES) found.push(`has ${bytes} bytes with all that it loads, more than ${MAX_BYTES}`);
      return look(page, () => found, (await response?.text()) ?? '');
    },
    close: () => context.close(),
  };
}

/** Says what a page does that none may do: a message of its console that is not ours, a dialog, a request to somebody else. */
export function watchPage(
  page: Page,
  origin: string,
  isOurs: (message: ConsoleMessage) => boolean,
  say: (what: string) => void,
): void {
  page.on('console', (message) => {
    if (/error|warning/.test(message.type()) && !isOurs(message)) say(`console: ${message.text()}`);
  });
  page.on('pageerror', ({ message }) => say(`script: ${message}`));
  page.on('dialog', (dialog) => {
    say(`a dialog opens: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) say(`asks elsewhere: ${request.url()}`);
  });
}

/** Fills a form in and sends it, as a reader does; what comes back. */
async function send(
  page: Page,
  { fields, button }: NonNullable<OpenedPage['form']>,
): Promise<Response | null> {
  for (const [id, text] of Object.entries(fields)) await page.locator(`#${id}`).fill(text);
  // what a form changes, it answers with another page
  const came = page.waitForResponse(
    (response) => response.request().isNavigationRequest() && ![302, 303].includes(response.status()),
  );
  await page.getByRole('button', { name: button, exact: true }).click();
  const response = await came;
  await page.waitForLoadState('load');
  return response;
}

/** The server had no time for it, which is the machine's doing, and asks to come again. */
function isBusy(response: Response | null, { status = 200 }: OpenedPage): boolean {
  return response?.status() === 503 && status !== 503;
}

function wrongStatus(response: Response | null, { status = 200 }: OpenedPage): string[] {
  const answered = response?.status();
  return answered === status ? [] : [`answers ${answered}, not ${status}`];
}

async function wrongText(page: Page, { shows = '' }: OpenedPage): Promise<string[]> {
  const text = await page.locator('body').textContent();
  return text?.includes(shows) === true ? [] : [`does not show ${shows}`];
}

/** That the page itself is a 404, which it should be, is said in the console, too. */
function isStatus(message: ConsoleMessage, { path, status = 200 }: OpenedPage, origin: string): boolean {
  return status >= 400 && message.location().url === origin + path && /status of/.test(message.text());
}
