import { html, type SafeHtml } from '@remix-run/html-template';
import { crawlForm } from '../crawl.ts';
import { agentList, type ListedAgent } from '../directory/result.ts';
import { fact } from '../files/file-parts.ts';
import { healthBars } from '../health.ts';
import { ATOM, type HtmlPage, type PageSite, type PlacedSite } from '../layout.ts';
import { hasProtocolSection, protocolSection } from '../protocol-lines.ts';
import { ownersWords } from '../statement.ts';
import {
  authorisedText,
  healthPill,
  moment,
  outward,
  pill,
  plain,
  said,
  sameAsJson,
  segmentOf,
  sentence,
  statusPill,
} from '../texts.ts';
import { abilities } from './abilities.ts';
import { badges } from './badges.ts';
import { freshnessTable, sources } from './sources.ts';
import { testsByTrack } from './tests.ts';
import type { AgentView, FullAgent } from './view.ts';

/** `/agents/{encodedUrl}`: one agent, with the sources of each fact. */
export function agentPage(site: PlacedSite, view: AgentView): HtmlPage {
  const { agent, history, protocol } = view;
  const name = plain(agent.name, 100) || plain(agent.url, 100);
  const json = `${site.root}/api/registry/agents/${segmentOf(agent.url)}`;
  return {
    title: name,
    description: `The agent ${plain(agent.url, 200)}: capabilities, publishers that authorize it, uptime, tests and badges.`,
    trail: [{ text: 'Agents', path: '/' }, { text: name }],
    atom: `${ATOM}?agent_url=${segmentOf(agent.url)}`,
    content: html`${head(view)}
<nav aria-label="On this page"><ul class="groups"><li><a href="#does">Capabilities</a></li><li><a href="#says">Sources</a></li><li><a href="#health">Uptime</a></li><li><a href="#tests">Tests</a></li>${protocol && hasProtocolSection(protocol) ? html`<li><a href="#protocol">Protocol versions</a></li>` : ''}<li><a href="#badges">Badges</a></li><li><a href="#fresh">Last checked</a></li></ul></nav>
<section aria-labelledby="does"><h2 id="does">Capabilities</h2>${abilities(view)}</section>
<section aria-labelledby="says"><h2 id="says">Sources</h2>${sources(site, view)}</section>
<section aria-labelledby="health"><h2 id="health">Uptime</h2>${healthBars(history)}</section>
<section aria-labelledby="tests"><h2 id="tests">Tests</h2>${testsByTrack(site, view, `${json}/compliance`)}${ownersWords(view.statement)}</section>
${protocol === undefined ? '' : protocolSection(site, protocol)}
<section aria-labelledby="badges"><h2 id="badges">Badges</h2>${badges(site, view, json)}</section>
<section aria-labelledby="fresh"><h2 id="fresh">Last checked</h2>${freshnessTable(site, view)}</section>
<p>Is it yours? <a href="${site.root}/my/agents/${segmentOf(agent.url)}">Sign in to manage</a></p>
${sameAsJson(site, json)}`,
  };
}

function head({ agent, ...view }: AgentView): SafeHtml {
  const {
    name,
    url,
    type,
    description,
    compliance,
    health,
    verified_badges,
    listed,
    freshness,
    protocol,
    member,
    contact,
    stats,
  } = agent;
  const authorised = authorisedText(type, stats?.property_count ?? 0, stats?.publisher_count ?? 0);
  const roles = [...new Set(verified_badges.map(({ role }) => role))];
  return html`<h1>${said(plain(name, 100) || url, 100)}</h1>
<p class="place"><span class="kind">${plain(type, 20)}</span> <code dir="ltr">${outward(url)}</code></p>
<p class="pills">${statusPill(compliance?.status ?? 'opted_out')} ${healthPill(health?.online)}${roles.map((role) => html` ${pill('good', `Verified for ${role}`)}`)}${
    listed ? '' : html` ${pill('warn', 'Not listed')}`
  }${freshness.stale ? html` ${pill('warn', 'Stale')}` : ''}</p>
${description === undefined ? '' : html`<p class="lead" dir="auto">${plain(description, 600)}</p>`}
${statusNotes({ agent, ...view })}<dl class="facts">${fact('Protocol', protocol === null ? 'Unknown' : protocol.toUpperCase())}${
    authorised === null ? '' : fact(...authorised)
  }${member === undefined ? '' : fact('Member', said(member.display_name, 80))}${
    contact === undefined
      ? ''
      : fact(
          'Contact',
          html`${said(contact.name, 60)}<br><span class="type">${said(contact.email, 80)}${contact.website === '' ? '' : html`<br>${outward(contact.website)}`}</span>`,
        )
  }${fact('First seen', moment(freshness.first_seen_at))}${fact('Last seen', moment(freshness.last_seen_at))}</dl>`;
}

/** Why each status is not good, and what happens next. */
function statusNotes({ agent, history }: AgentView): SafeHtml | string {
  const notes = [testNote(agent), onlineNote(agent, history), staleNote(agent), listedNote(agent)];
  return html`${notes.filter((note) => note !== undefined).map((note) => html`<p class="notice">${note}</p>`)}`;
}

function testNote({ compliance }: FullAgent): SafeHtml | undefined {
  if (compliance === undefined || !['failing', 'degraded'].includes(compliance.status)) return undefined;
  const headline = 'headline' in compliance ? compliance.headline : null;
  const meaning =
    compliance.status === 'failing'
      ? html`<b>Failing:</b> tests of the latest run fail.`
      : html`<b>Partly passing:</b> some tests of the latest run fail, others pass.`;
  return html`${meaning} ${headline === null ? '' : html`${sentence(headline, 300)} `}<a href="#tests">See the tests</a>`;
}

function onlineNote(
  { health, provenance: { probe } }: FullAgent,
  history: AgentView['history'],
): SafeHtml | undefined {
  const next = nextProbe(probe);
  if (health === undefined)
    return html`<b>Not probed yet:</b> the registry has not called this agent.${next} <a href="#fresh">Check again</a>`;
  if (health.online) return undefined;
  const reason = history?.incidents[0]?.message ?? health.error ?? probe.reason;
  return html`<b>Offline:</b> the last probe failed${probe.last_tried_at === null ? '' : html` at ${moment(probe.last_tried_at)}`}. ${reason == null ? '' : html`${sentence(reason, 200)} `}${probe.last_good_at === null ? 'No probe has succeeded yet.' : 'The data on this page is from the last good probe.'}${next} <a href="#fresh">Check again</a>`;
}

function staleNote({ freshness, provenance: { probe } }: FullAgent): SafeHtml | undefined {
  if (!freshness.stale) return undefined;
  return html`<b>Stale:</b> last seen ${moment(freshness.last_seen_at)}, which is longer ago than two check intervals. The last good data stays in use.${nextProbe(probe)} <a href="#fresh">Check again</a>`;
}

function nextProbe({ next_at: at, is_due: isDue }: FullAgent['provenance']['probe']): SafeHtml | string {
  if (at === null) return '';
  return isDue ? ' The next probe is due now.' : html` Next probe: ${moment(at)}.`;
}

function listedNote({ listed }: FullAgent): SafeHtml | undefined {
  return listed
    ? undefined
    : html`<b>Not listed:</b> no file declares this agent now and no member has registered it, so it is not in the directory. <a href="#says">Sources</a>`;
}

/** For a URL without a record: a button that crawls its domain, and similar agents. */
export function unknownAgentPage(
  site: PageSite,
  { address, reason, agent, domain, near }: UnknownAgentView,
): HtmlPage {
  const title = agent === undefined ? 'Not an agent URL' : 'Not in the registry yet';
  const crawl =
    domain === undefined
      ? ''
      : html`<p>The registry lists an agent when the <code>adagents.json</code> of a publisher or the <code>brand.json</code> of its own domain names it. Crawl <b>${said(domain, 253)}</b> to read its files and probe the agents that they name. It usually takes less than a minute.</p>
${crawlForm(site, { domain, ...(agent !== undefined && { agent }) }, 'Crawl now')}`;
  return {
    title,
    description: 'The registry has no agent with this URL.',
    trail: [{ text: 'Agents', path: '/' }, { text: title }],
    content: html`<h1>${title}</h1>
<p class="place"><code dir="ltr">${plain(address, 200)}</code></p>
<p>${sentence(reason, 200)}</p>
${crawl}
${agent === undefined ? '' : html`<p>Is it yours? <a href="${site.root}/my?url=${segmentOf(plain(address, 1_000))}#ask">Sign in and add it</a>.</p>`}
${near.length === 0 ? '' : html`<h2 id="found">Similar agents</h2>${agentList(site, near)}`}
<p><a href="${site.root}/">All agents</a></p>`,
  };
}

interface UnknownAgentView {
  readonly address: string;
  readonly reason: string;
  /** The canonical URL; absent: the address is no agent URL. */
  readonly agent?: string;
  /** Of its host; absent: it has no domain name. */
  readonly domain?: string;
  readonly near: readonly ListedAgent[];
}
