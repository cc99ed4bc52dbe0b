import { html, type SafeHtml } from '@remix-run/html-template';
import { type Row, scrolling } from './files/file-parts.ts';
import type { PageSite } from './layout.ts';
import { targetQuery } from './storyboards/storyboards.ts';
import { passedText, pill, plain, said, segmentOf, sentence, statusPill } from './texts.ts';

/** The results of an agent by line of the protocol; times are RFC 3339. */
export interface ProtocolLines {
  readonly url: string;
  /** As the agent wrote them. */
  readonly declared: readonly string[];
  /** Newest first. */
  readonly lines: readonly ShownLine[];
  /** The agent was tested with a version that it does not declare, or not with the one that was asked for. */
  readonly mismatch?: string;
}

interface ShownLine {
  readonly line: string;
  /** The version of the bundle. */
  readonly proto_version: string;
  readonly stage: 'default' | 'preview';
  readonly decides: boolean;
  readonly status: string;
  readonly storyboards_passing: number;
  readonly storyboards_total: number;
  readonly storyboards_incomplete: number;
  readonly last_checked_at: string | null;
  readonly badges: readonly {
    readonly role: string;
    readonly verification_modes: readonly string[];
    readonly grace_since: string | null;
  }[];
}

const MOST = 20;

/** A section with the results by line; for one line without a mismatch there is none. */
export function protocolSection(site: PageSite, shown: ProtocolLines): SafeHtml | string {
  if (!hasProtocolSection(shown)) return '';
  const { url, declared, lines, mismatch } = shown;
  const versions = declared.slice(0, MOST);
  return html`<section aria-labelledby="protocol"><h2 id="protocol">Protocol versions</h2>
${mismatch === undefined ? '' : html`<p class="notice"><b>Tested with another version:</b> ${sentence(mismatch, 300)}</p>`}
<p>${versions.length === 0 ? 'The agent declares no protocol version.' : html`The agent declares ${versions.map((one, at) => html`${at === 0 ? '' : ', '}${said(one, 40)}`)}.`} Each version is tested with its own bundle of storyboards and has its own badges. One of them decides the status.</p>
${scrolling(
  'Protocol versions',
  ['Version', 'Bundle', 'Status', 'Storyboards passed', 'Badges'],
  lines.slice(0, MOST).map((line) => row(site, url, line)),
)}</section>`;
}

export function hasProtocolSection({ lines, mismatch }: ProtocolLines): boolean {
  return lines.length > 1 || mismatch !== undefined;
}

function row(site: PageSite, url: string, one: ShownLine): Row {
  const bundles = `${site.root}/storyboards${targetQuery(plain(one.proto_version, 40))}`;
  const isTested = one.last_checked_at !== null;
  return [
    html`${said(one.line, 20)}${one.decides ? html` ${pill('calm', 'Decides the status')}` : ''}${one.stage === 'preview' ? html` ${pill('calm', 'Preview: decides nothing')}` : ''}`,
    html`<a href="${bundles}">${said(one.proto_version, 40)}</a>`,
    isTested ? statusPill(one.status) : 'Not tested yet',
    isTested ? passedText(one) : '–',
    one.badges.length === 0 ? '–' : html`${one.badges.map((badge) => badgeText(site, url, badge))}`,
  ];
}

function badgeText(
  site: PageSite,
  url: string,
  { role, verification_modes: modes, grace_since: grace }: ShownLine['badges'][number],
): SafeHtml {
  const page = `${site.root}/badges/${segmentOf(url)}/${segmentOf(plain(role, 40))}`;
  return html`<p><a href="${page}">${said(role, 40)}</a> <span class="type">${modes.map((mode, at) => html`${at === 0 ? '' : ', '}${said(mode, 20)}`)}</span>${grace === null ? '' : html` ${pill('warn', 'Grace period')}`}</p>`;
}
