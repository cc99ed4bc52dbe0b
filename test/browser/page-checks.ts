import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const IN_PAGE = readFileSync(join(import.meta.dirname, 'in-page.js'), 'utf8')
  .trimEnd()
  .replace(/;$/, '');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** What is reported is the element itself, so that none needs a selector; the rules that load styles or media again are off. */
const ONLY_PLACES = { resultTypes: ['violations'], selectors: false, preload: false };
const CONTRAST = 'color-contrast';
/** WCAG 2.2, levels A and AA; the last rule is off in axe unless it is named. */
const ALL_RULES = (hasContrast: boolean) => ({
  ...ONLY_PLACES,
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
  rules: { [CONTRAST]: { enabled: hasContrast }, 'target-size': { enabled: true } },
});
const OF_WIDTH = ['link-in-text-block', 'target-size', 'scrollable-region-focusable'];
/** Those that depend on colours and width. */
const OF_LOOKS = (hasContrast: boolean) => ({
  ...ONLY_PLACES,
  runOnly: { type: 'rule', values: hasContrast ? [CONTRAST, ...OF_WIDTH] : OF_WIDTH },
});
/** A page is left as the next one begins: each change of the window is a layout. */
const LOOKS = [
  { colorScheme: 'dark', width: 360, rules: OF_LOOKS },
  { colorScheme: 'light', width: 1_440, rules: ALL_RULES },
] as const;
/** Of a window: a screen, a tablet, 1280 at a zoom of 200 %, what WCAG 1.4.10 asks for, and a phone, with which axe begins. */
const WIDTHS = [1_440, 768, 640, 320, 360];
const HEIGHT = 600;

/** A function of in-page.js, called in the page. */
export function askPage<Answer>(page: Page, call: string): Promise<Answer> {
  return page.evaluate<Answer>(`(${IN_PAGE}).${call}`);
}

/** Whether the page fits into each width; what does not is named. */
export async function overflows(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    const wide = await askPage<string[]>(page, 'overflow()');
    found.push(...wide.map((what) => `at ${width} px: ${what}`));
  }
  return found;
}

/**
 * What axe says of the page as it is: all of it on a screen in light, and on a phone in dark what differs there. Contrast takes half
 * of its time.
 */
export async function axeFaults(page: Page, hasContrast = true): Promise<string[]> {
  await page.evaluate(AXE);
  const found: string[] = [];
  for (const { width, colorScheme, rules } of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: HEIGHT });
    const { violations } = await page.evaluate<AxeResult>(
      `axe.run(document, ${JSON.stringify(rules(hasContrast))})`,
    );
    for (const { id, help, nodes } of violations) {
      const places = nodes.map(({ html }) => html).slice(0, 3);
      found.push(`axe, ${colorScheme} at ${width} px: ${id}: ${help}: ${places.join(' ')}`);
    }
  }
  return found;
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** The page with the keyboard alone: everything once, with the focus in sight, and the link that skips. */
export async function keyboardFaults(page: Page): Promise<string[]> {
  const count = await askPage<number>(page, 'watchFocus()');
  await page.keyboard.press('Tab');
  if (!(await askPage<boolean>(page, 'isAtSkip()'))) return ['the first Tab does not come to the skip link'];
  await press(
    page,
    Array.from({ length: count }, () => 'Tab'),
  );
  const found = await askPage<string[]>(page, 'focusFaults()');
  await page.locator('.skip').focus();
  await press(page, ['Enter', 'Tab']);
  return [...found, ...(await askPage<string[]>(page, 'skipFaults()'))];
}

/**
 * The keys come in their order, and are not waited for one by one: each would be a picture of the page. One that comes again is held
 * down meanwhile, as readers do.
 */
export async function press(page: Page, keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.down(key)));
  await Promise.all([...new Set(keys)].map((key) => page.keyboard.up(key)));
}
