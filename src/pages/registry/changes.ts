import { html, type SafeHtml } from '@remix-run/html-template';
import type { ChangeKind } from '../../domain/change.ts';
import { ATOM, type HtmlPage, type PageSite, type PlacedSite } from '../layout.ts';
import { agentPath, pill, said, sameAsJson, statusPill } from '../texts.ts';

/** A page of the change log, newest first; times are RFC 3339. */
export interface ChangesView {
  readonly changes: readonly ShownChange[];
  /** Of the page with older changes. */
  readonly next_cursor: string | null;
  readonly isFirst: boolean;
  /** The last hour continues on the next page. */
  readonly endsWithinHour: boolean;
  readonly jsonPath: string;
}

interface ShownChange {
  readonly at: string;
  readonly kind: ChangeKind;
  readonly agent_url: string;
  readonly parts: readonly string[];
  readonly compliance_status?: string;
  readonly badges_earned?: readonly string[];
  readonly badges_lost?: readonly string[];
}

const KINDS: Readonly<Record<ChangeKind, readonly ['good' | 'warn' | 'calm', string]>> = {
  listed: ['good', 'Listed'],
  changed: ['calm', 'Changed'],
  delisted: ['warn', 'Delisted'],
};

export function changesPage(site: PlacedSite, view: ChangesView): HtmlPage {
  const { changes, next_cursor: cursor, isFirst, endsWithinHour, jsonPath } = view;
  const days = Map.groupBy(changes, ({ at }) => at.slice(0, 10));
  return {
    title: 'Changes',
    description: 'Changes in the directory by day.',
    trail: [
      { text: 'Agents', path: '/' },
      { text: 'Changes', path: '/changes' },
    ],
    atom: ATOM,
    content: html`<h1>Changes</h1>
<p class="lead">Agents that were listed, changed or delisted, and their test results and badges. Newest first.
<a href="${site.root}${ATOM}" type="application/atom+xml">Subscribe with a feed reader (Atom)</a></p>
${changes.length === 0 ? html`<p class="empty">${isFirst ? 'No changes yet.' : 'No older changes.'}</p>` : ''}
${[...days].map(
  ([day, those]) =>
    html`<h2><time datetime="${day}">${dayText(day)}</time></h2><ul class="operations">${ofOneHour(those).map((group) => agentItem(site, group))}</ul>`,
)}
<nav class="pager" aria-label="Pages">${isFirst ? '' : html`<a href="${site.root}/changes">Newest</a>`} ${cursor === null ? '' : html`<a rel="next" href="${site.root}/changes?cursor=${encodeURIComponent(cursor)}">${endsWithinHour ? `More changes of ${changes.at(-1)?.at.slice(11, 13)}:00 UTC` : 'Older changes'}</a>`}</nav>
${sameAsJson(site, `${site.root}${jsonPath}`)}`,
  };
}

/** The changes of one agent within an hour, newest first. */
type HourOfAgent = readonly [ShownChange, ...ShownChange[]];

/** An agent that changes several times in an hour is shown once. */
function ofOneHour(changes: readonly ShownChange[]): readonly HourOfAgent[] {
  const groups = Map.groupBy(changes, ({ at, agent_url: agent }) => `${at.slice(0, 13)} ${agent}`);
  return [...groups.values()] as unknown as readonly HourOfAgent[];
}

function agentItem(site: PageSite, group: HourOfAgent): SafeHtml {
  const [newest] = group;
  const oldest = group.at(-1) ?? newest;
  const kinds = Map.groupBy(group, ({ kind }) => kind);
  const parts = [...new Set(group.flatMap((one) => one.parts))].toSorted();
  // all parts of a new agent are new
  const isNew = kinds.has('listed');
  const pills = [...kinds]
    .filter(([kind]) => !isNew || kind !== 'changed')
    .map(([kind, those]) => {
      const [tone, text] = KINDS[kind];
      return html` ${pill(tone, those.length === 1 ? text : `${text} ${those.length} times`)}`;
    });
  const status = group.find((one) => one.compliance_status !== undefined)?.compliance_status;
  const isTested = status !== undefined && (status !== 'unknown' || !isNew);
  const isOneMinute = minuteOf(newest.at) === minuteOf(oldest.at);
  return html`<li><p><a href="${agentPath(site, newest.agent_url)}">${said(newest.agent_url, 160)}</a></p>
<p>${pills}${isTested ? html` ${statusPill(status)}` : ''}${badgePills(group)} <span class="type">${isOneMinute ? '' : html`${timeOfDay(oldest.at)} to `}${timeOfDay(newest.at)} UTC${parts.length === 0 || isNew ? '' : html`: ${parts.join(', ')}`}</span></p></li>`;
}

/** The badges at the end of the hour: one that was lost and earned again is held. */
function badgePills(group: HourOfAgent): SafeHtml[] {
  const last = new Map<string, boolean>();
  for (const { badges_earned: earned = [], badges_lost: lost = [] } of group.toReversed()) {
    for (const role of earned) last.set(role, true);
    for (const role of lost) last.set(role, false);
  }
  return [...last].map(([role, isHeld]) =>
    isHeld
      ? html` ${pill('good', `Verified for ${role}`)}`
      : html` ${pill('warn', `No longer verified for ${role}`)}`,
  );
}

/** The day is in the heading above. */
function timeOfDay(at: string): SafeHtml {
  return html`<time datetime="${at}">${minuteOf(at)}</time>`;
}

function minuteOf(at: string): string {
  return at.slice(11, 16);
}

/** `Monday, 23 November 2026`, of a date in UTC. */
function dayText(day: string): string {
  return new Date(day).toLocaleDateString('en-GB', { timeZone: 'UTC', dateStyle: 'full' });
}
