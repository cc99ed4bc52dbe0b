import { html, type SafeHtml } from '@remix-run/html-template';
import { FEWEST_TESTED } from '../../domain/standing.ts';
import { type HtmlPage, type PageSite, type PlacedSite, sentenceOf } from '../layout.ts';
import { amountText, plain, said, sameAsJson, segmentOf } from '../texts.ts';

/** One storyboard of the list. */
export interface StoryboardLine {
  readonly id: string;
  readonly title: string;
  readonly track: string;
  readonly summary: string;
  readonly applies_to: AppliedTo;
  readonly step_count: number;
}

export interface AppliedTo {
  readonly kind: 'universal' | 'domain' | 'specialism';
  readonly id: string;
}

/** Agents by storyboard: those that were tested with it, and of these those that pass and those where it is incomplete. No entry where too few were tested. */
export type PassCounts = Readonly<
  Record<string, { readonly tested: number; readonly passing: number; readonly incomplete: number }>
>;

export interface StoryboardsView {
  readonly storyboards: readonly StoryboardLine[];
  readonly counts: PassCounts;
  readonly bundles: ShownBundles;
}

/** The bundle that a page shows, and those that it can show. */
export interface ShownBundles {
  readonly version: string;
  readonly all: readonly string[];
  /** The label that was asked for; absent: the default one. */
  readonly target?: string;
}

/** All storyboards, grouped by the agents that they are for. */
export function storyboardsPage(
  site: PlacedSite,
  { storyboards, counts, bundles }: StoryboardsView,
): HtmlPage {
  const groups = Map.groupBy(storyboards, ({ applies_to: to }) => forWhom(to));
  return {
    title: 'Storyboards',
    description: 'The tests of agents, and how many agents pass each of them.',
    trail: [
      { text: 'Agents', path: '/' },
      { text: 'Storyboards', path: '/storyboards' },
    ],
    content: html`<h1>Storyboards</h1>
<p class="lead">A storyboard is a test with several steps. Each step calls a task of the agent, as a client would, and checks the answer.
The registry tests agents whose owners agree. Bundle ${plain(bundles.version, 40)} has ${amountText(storyboards.length, 'storyboard')}.
Pass rates need ${FEWEST_TESTED} tested agents, because lower counts could reveal the result of a single agent.${bundles.all.length > 1 ? ' They count each agent with the bundle that decides its status.' : ''}</p>
${bundleLinks(`${site.root}/storyboards`, bundles)}
${[...groups].map(
  ([name, those]) =>
    html`<section><h2>${name}</h2><ul class="operations">${those.map((one) => line(storyboardPath(site, one.id, bundles.target), one, counts))}</ul></section>`,
)}
${sameAsJson(site, `${site.root}/api/storyboards${targetQuery(bundles.target)}`)}`,
  };
}

/** A link to the same page for each bundle, if there are several. */
export function bundleLinks(path: string, { version, all }: ShownBundles): SafeHtml | string {
  if (all.length < 2) return '';
  return html`<nav aria-label="Bundles"><ul class="groups">${all.map((one) => html`<li><a href="${path}${targetQuery(one)}"${one === version ? CURRENT : ''}>Bundle ${plain(one, 40)}</a></li>`)}</ul></nav>`;
}

const CURRENT = html` aria-current="page"`;

function line(path: string, one: StoryboardLine, counts: PassCounts): SafeHtml {
  return html`<li><span><a href="${path}">${said(one.title, 120)}</a> <span class="type">${amountText(one.step_count, 'step')}</span></span>
<span>${sentenceOf(plain(one.summary, 300))} <span class="type">${passText(counts[one.id])}</span></span></li>`;
}

interface UnknownStoryboardView {
  readonly id: string;
  /** Similar ids. */
  readonly nearest: readonly string[];
  readonly bundles: ShownBundles;
}

/** The page for an unknown id. */
export function unknownStoryboardPage(
  site: PageSite,
  { id, nearest, bundles }: UnknownStoryboardView,
): HtmlPage {
  const title = 'Storyboard not found';
  return {
    title,
    description: 'The id of this storyboard is unknown.',
    trail: [{ text: 'Agents', path: '/' }, { text: 'Storyboards', path: '/storyboards' }, { text: title }],
    content: html`<h1>${title}</h1>
<p><code dir="ltr">${plain(id, 120)}</code> is not the id of a storyboard in bundle ${plain(bundles.version, 40)}.</p>
${nearest.length === 0 ? '' : html`<h2>Similar ids</h2><ul class="places">${nearest.map((one) => html`<li><a href="${storyboardPath(site, one, bundles.target)}">${one}</a></li>`)}</ul>`}
${bundleLinks(`${site.root}/storyboards/${encodeURIComponent(id)}`, bundles)}
<p><a href="${site.root}/storyboards${targetQuery(bundles.target)}">See all storyboards</a></p>`,
  };
}

/** The pass rate in words. */
export function passText(count: PassCounts[string] | undefined): string {
  if (count === undefined) return `Fewer than ${FEWEST_TESTED} agents tested: no pass rate.`;
  const { tested, passing, incomplete } = count;
  const passes = `${passing.toLocaleString('en-GB')} of ${amountText(tested, 'tested agent')} ${tested === 1 ? 'passes' : 'pass'}`;
  return incomplete === 0 ? `${passes}.` : `${passes}, ${incomplete.toLocaleString('en-GB')} incomplete.`;
}

/** The agents that a storyboard is for. */
export function forWhom({ kind, id }: AppliedTo): string {
  const words = plain(id, 60).replaceAll(/[_-]/g, ' ');
  if (kind === 'universal') return 'For every agent';
  return kind === 'domain' ? `For agents that support ${words}` : `For the specialism ${words}`;
}

/** Without a target: in the default bundle. */
export function storyboardPath(site: PageSite, id: string, target?: string): string {
  return `${site.root}/storyboards/${encodeURIComponent(id)}${targetQuery(target)}`;
}

/** The parameter of pages and operations for a bundle. */
export function targetQuery(target: string | undefined): string {
  return target === undefined ? '' : `?compliance_target=${segmentOf(target)}`;
}
