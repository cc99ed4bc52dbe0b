/**
 * Opens the pages in Debian's Chromium without a window, over what the demo has left, and over what a hostile web leaves:
 * `npm run demo -- --exit && npm run test:browser`. Every page with the keyboard alone, without script, from 320 px to a screen, in
 * light and dark, under axe and its own policy; every form of the API reference is sent. Exit code 1 when something is wrong with a page. With `--screenshots` it writes
 * the pictures of docs/screenshots instead.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';
import { startSandboxProcess } from '../../reference-agents/src/demo/sandbox-process.ts';
import { startWeb } from '../scenarios/support/web.ts';
import { clientFaults } from './client-faults.ts';
import { hostileAgents, hostileReports } from './hostile-lab.ts';
import { crawlHostileWeb } from './hostile-store.ts';
import { hostilePages, hostileWeb } from './hostile-web.ts';
import { labReport } from './lab-report.ts';
import { createLooker, type Looker } from './look-at-page.ts';
import { newcomerFaults } from './newcomer.ts';
import { DEMO, type OpenedPage, pagesOf } from './pages.ts';
import { startHeartbeat, startRegistryProcess } from './registry-process.ts';
import { takePictures } from './screenshots.ts';
import { makeKeyOf, signIn } from './sign-in.ts';
import { stepFaults } from './steps.ts';
import { tryFaults } from './try-faults.ts';

/** Chromium without its own windows: a fifth of its processes, and the same pages. */
const CHROMIUM = '/usr/bin/chromium-headless-shell';
const DEMO_STORE = '.registry/demo.sqlite';
const KEYS = { REGISTRY_CREDENTIAL_KEYS: '.registry/demo-credential-keys.json' };
/** For each task of the agent that is watched: its test lasts as long as anybody looks. */
const HELD_MS = 3_000;

if (!existsSync(CHROMIUM)) stop('this needs Chromium (on Debian: apt-get install chromium-headless-shell)');
if (!existsSync(DEMO_STORE)) stop('this needs what the demo leaves: npm run demo -- --exit');
const folder = mkdtempSync(join(tmpdir(), 'browser-'));
try {
  const store = join(folder, 'demo.sqlite');
  copyFileSync(DEMO_STORE, store);
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--disable-gpu', '--disable-quic', '--disable-smooth-scrolling'],
  });
  const slow = [`${DEMO.watched}=${HELD_MS}`];
  const sandbox = await startSandboxProcess(`sqlite:${join(folder, 'agents.sqlite')}`, folder, slow);
  const flags = sandbox.connectTo.flatMap((one) => ['--connect-to', one]);
  if (process.argv.includes('--screenshots')) {
    const key = makeKeyOf(DEMO.owner, `sqlite:${store}`);
    await overStore({ store, flags }, async (origin) => {
      const [report, signedIn] = [await labReport(origin, DEMO.passing), await signIn(origin, key)];
      await takePictures(browser, { ...DEMO, origin, report, signedIn });
    });
  } else {
    // a part of each is waiting: for a test that is watched, and for agents that answer slowly
    await Promise.all([judgeDemo(browser, store, flags), judgeHostileWeb(browser)]);
  }
  sandbox.stop();
  await browser.close();
} finally {
  rmSync(folder, { recursive: true });
}

async function judgeDemo(browser: Browser, store: string, flags: readonly string[]): Promise<void> {
  const key = makeKeyOf(DEMO.owner, `sqlite:${store}`);
  await judge(browser, { what: 'the demo', store, flags, lookers: 2 }, async (origin) => {
    const signedIn = await signIn(origin, key);
    const startTests = () => startHeartbeat(`sqlite:${store}`, KEYS, flags);
    const { found: ways, told } = await newcomerFaults(browser, origin, { ...DEMO, key, startTests });
    for (const line of told) process.stdout.write(`${line}\n`);
    return {
      pages: [
        ...pagesOf(DEMO),
        { path: await labReport(origin, DEMO.passing), shows: 'How the grade is calculated' },
      ],
      signedIn,
      found: [...(await stepFaults(browser, origin)), ...(await clientFaults(browser, origin)), ...ways],
      // the forms change what the pages show
      after: () => tryFaults(browser, origin, key),
    };
  });
}

async function judgeHostileWeb(browser: Browser): Promise<void> {
  const web = await startWeb({ ...hostileWeb(), ...hostileAgents() });
  const store = join(folder, 'hostile.sqlite');
  await crawlHostileWeb(web, `sqlite:${store}`);
  const served = { what: 'a hostile web', store, flags: ['--connect-to', web.connectTo], lookers: 1 };
  await judge(browser, served, async (origin) => ({
    pages: [...hostilePages(), ...(await hostileReports(origin))].map((page) => ({
      ...page,
      hasKnownColours: true,
    })),
  }));
  await web.close();
}

/** What a registry serves, and how it is started. */
interface Served {
  readonly store: string;
  readonly flags: readonly string[];
}

/** The pages to look at, and what was wrong before. */
interface Looked {
  readonly pages: readonly OpenedPage[];
  readonly signedIn?: BrowserContextOptions;
  readonly found?: readonly string[];
  /** What is wrong behind them. */
  readonly after?: () => Promise<readonly string[]>;
}

/** Says what is wrong with these pages, and how many there are. */
async function judge(
  browser: Browser,
  { what, lookers, ...served }: Served & { readonly what: string; readonly lookers: number },
  prepare: (origin: string) => Promise<Looked>,
): Promise<void> {
  let count = 0;
  const found = await overStore(served, async (origin) => {
    const { pages, signedIn, found: before = [], after = () => [] } = await prepare(origin);
    count = pages.length;
    const open = () => createLooker(browser, origin, signedIn);
    return [...before, ...(await lookAtAll(pages, lookers, open)), ...(await after())];
  });
  for (const fault of found) process.stdout.write(`NO ${fault}\n`);
  process.stdout.write(`${count} pages of ${what} in Chromium: ${found.length} faults\n`);
  if (found.length > 0) process.exitCode = 1;
}

/** What is done while a registry serves this store. */
async function overStore<Done>(
  { store, flags }: Served,
  work: (origin: string) => Promise<Done>,
): Promise<Done> {
  const registry = await startRegistryProcess(`sqlite:${store}`, {}, flags);
  try {
    return await work(registry.origin);
  } finally {
    await registry.stop();
  }
}

/** Each looker takes the next page when it has done with one. */
async function lookAtAll(
  pages: readonly OpenedPage[],
  lookers: number,
  open: () => Promise<Looker>,
): Promise<readonly string[]> {
  const waiting = pages.values();
  const looks = Array.from({ length: lookers }, async () => {
    const looker = await open();
    const found: string[] = [];
    for (const page of waiting) found.push(...(await looker.lookAt(page)));
    await looker.close();
    return found;
  });
  return (await Promise.all(looks)).flat();
}

function stop(sentence: string): never {
  process.stderr.write(`test:browser: ${sentence}\n`);
  process.exit(1);
}
