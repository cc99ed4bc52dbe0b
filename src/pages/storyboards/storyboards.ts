import { html, type SafeHtml } from '@remix-run/html-template';
import { FEWEST_TESTED } from '../../domain/standing.ts';
import { type HtmlPage, type PageSite, type PlacedSite, sentenceOf } from '../layout.ts';
import { amountText, plain, said, sameAsJson } from '../texts.ts';

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
  /** Of the protocol. */
  readonly version: string;
}

/** All storyboards, in groups by whom they are for. */
export function storyboardsPage(
  site: PlacedSite,
  { storyboards, counts, version }: StoryboardsView,
): HtmlPage {
  const groups = Map.groupBy(storyboards, ({ applies_to: to }) => forWhom(to));
  return {
    title: 'Storyboards',
    description: 'What agents are tested with, and how many pass.',
    trail: [
      { text: 'Agents', path: '/' },
      { text: 'Storyboards', path: '/storyboards' },
    ],
    content: html`<h1>Storyboards</h1>
<p class="lead">A storyboard is a test in steps: each calls an agent as a buyer would, and checks the answer.
The registry runs them against agents whose owners agree. These are ${amountText(storyboards.length, 'storyboard')} for version ${version} of the protocol.
Counts are shown from ${FEWEST_TESTED} tested agents on, because smaller ones could reveal the result of a single agent.</p>
${[...groups].map(
  ([name, those]) =>
    html`<section><h2>${name}</h2><ul class="operations">${those.map((one) => line(site, one, counts))}</ul></section>`,
)}
${sameAsJson(site, `${site.root}/api/storyboards`)}`,
  };
}

function line(site: PageSite, one: StoryboardLine, counts: PassCounts): SafeHtml {
  return html`<li><span><a href="${storyboardPath(site, one.id)}">${said(one.title, 120)}</a> <span class="type">${amountText(one.step_count, 'step')}</span></span>
<span>${sentenceOf(plain(one.summary, 300))} <span class="type">${passText(counts[one.id])}</span></span></li>`;
}

/** In place of a storyboard that there is not; `nearest` are ids. */
export function unknownStoryboardPage(site: PageSite, id: string, nearest: readonly string[]): HtmlPage {
  const title = 'No such storyboard';
  return {
    title,
    description: 'Agents are tested with no storyboard of this id.',
    trail: [{ text: 'Agents', path: '/' }, { text: 'Storyboards', path: '/storyboards' }, { text: title }],
    content: html`<h1>${title}</h1>
<p><code dir="ltr">${plain(id, 120)}</code> is the id of no storyboard.</p>
${nearest.length === 0 ? '' : html`<h2>Near to it</h2><ul class="places">${nearest.map((one) => html`<li><a href="${storyboardPath(site, one)}">${one}</a></li>`)}</ul>`}
<p><a href="${site.root}/storyboards">See all storyboards</a></p>`,
  };
}

/** How many pass, in words. */
export function passText(count: PassCounts[string] | undefined): string {
  if (count === undefined) return `Fewer than ${FEWEST_TESTED} agents were tested.`;
  const { tested, passing, incomplete } = count;
  const passes = `${passing.toLocaleString('en-GB')} of ${amountText(tested, 'tested agent')} ${tested === 1 ? 'passes' : 'pass'}`;
  return incomplete === 0 ? `${passes}.` : `${passes}, ${incomplete.toLocaleString('en-GB')} incomplete.`;
}

/** For whom a storyboard is. */
export function forWhom({ kind, id }: AppliedTo): string {
  const words = plain(id, 60).replaceAll(/[_-]/g, ' ');
  if (kind === 'universal') return 'For every agent';
  return kind === 'domain' ? `For agents of the protocol ${words}` : `For the specialism ${words}`;
}

export function storyboardPath(site: PageSite, id: string): string {
  return `${site.root}/storyboards/${encodeURIComponent(id)}`;
}
