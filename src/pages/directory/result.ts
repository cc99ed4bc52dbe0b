import { html, type SafeHtml } from '@remix-run/html-template';
import type { DayHealth } from '../../domain/health-history.ts';
import { dayStrip } from '../health.ts';
import type { PageSite } from '../layout.ts';
import { agentPath, authorisedText, healthPill, moment, plain, said, statusPill } from '../texts.ts';

/** An agent in the list. */
export interface ListedAgent {
  readonly url: string;
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  readonly status: string;
  /** Roles that it holds a badge for. */
  readonly verifiedRoles: readonly string[];
  /** Undefined: never asked. */
  readonly online?: boolean;
  /** RFC 3339; absent: it never answered. */
  readonly seenAt?: string;
  /** Of the last days, oldest first; absent: not read. */
  readonly health?: readonly DayHealth[];
  readonly properties: number;
  readonly publishers: number;
  readonly matched: readonly ListedMatch[];
  /** Texts of it that have a word of the search. */
  readonly has: readonly { readonly field: string; readonly text: string }[];
}

/** A metric that met the filters, and which body accredits it, as its vendor says. */
interface ListedMatch {
  readonly metric_id: string;
  readonly accrediting_body?: string;
  readonly valid_until?: string;
  readonly valid?: boolean;
  /** What it met, when another metric met the rest. */
  readonly part?: readonly string[];
}

const MOST_ROLES = 6;
const MOST_TEXTS = 2;
/** What has the word, of all that does not stand in the list anyhow. */
const FIELDS: Readonly<Record<string, string>> = {
  metrics: 'Measures',
  accreditations: 'Accredited, as the vendor says, by',
  specialisms: 'Specialism',
  tags: 'Tag',
  tools: 'Tool',
};
/** Of a vendor whose metrics are told one by one, with their bodies. */
const MEASURED = ['metrics', 'accreditations'];
const MOST_MATCHED = 4;

export function agentList(site: PageSite, agents: readonly ListedAgent[]): SafeHtml {
  return html`<ul class="results" aria-labelledby="found">${agents.map((agent) => listed(site, agent))}</ul>`;
}

function listed(site: PageSite, agent: ListedAgent): SafeHtml {
  const { url, name, type, description, verifiedRoles, properties, publishers, matched } = agent;
  const authorised = authorisedText(type, properties, publishers);
  return html`<li class="result"><div class="what"><h2><a href="${agentPath(site, url)}">${said(plain(name, 100) || url, 100)}</a></h2>
<p class="place"><span class="kind">${plain(type, 20)}</span> <code dir="ltr">${plain(url, 100)}</code></p>
${description === undefined ? '' : html`<p class="about" dir="auto">${plain(description, 220)}</p>`}
${whereWordsAre(agent)}${matched.slice(0, MOST_MATCHED).map((match) => html`<p class="match">${matchText(match)}</p>`)}
${matched.length > MOST_MATCHED ? html`<p class="match">and ${matched.length - MOST_MATCHED} more</p>` : ''}
${verifiedRoles.length === 0 ? '' : html`<p class="match">Verified for ${verifiedRoles.slice(0, MOST_ROLES).map((role, at) => html`${at === 0 ? '' : ', '}<b>${said(role, 40)}</b>`)}</p>`}
${authorised === null ? '' : html`<p class="type">${authorised.join(' ')}</p>`}</div>
<div class="how"><p>${statusPill(agent.status)} ${healthPill(agent.online)}</p>
${agent.health === undefined ? '' : dayStrip(agent.health)}
<p class="type">${agent.seenAt === undefined ? 'Not seen yet' : html`Seen ${moment(agent.seenAt)}`}</p></div></li>`;
}

function whereWordsAre({ has, matched }: ListedAgent): SafeHtml[] {
  return has
    .flatMap(({ field, text }) => {
      const name = FIELDS[field];
      const isTold = matched.length > 0 && MEASURED.includes(field);
      return name === undefined || isTold ? [] : html`<p class="match">${name} <b>${said(text, 80)}</b></p>`;
    })
    .slice(0, MOST_TEXTS);
}

function matchText({
  metric_id: id,
  accrediting_body: body,
  valid_until: until,
  valid,
  part: metPart,
}: ListedMatch): SafeHtml {
  const part = metPart === undefined ? '' : html` <span class="must">(another metric met the rest)</span>`;
  const metric = html`Measures <b>${said(id, 80)}</b>`;
  if (body === undefined) return html`${metric}${part}`;
  const day = until === undefined ? '' : html` until ${said(until, 10)}`;
  return html`${metric}, accredited by <b>${said(body, 80)}</b>${day}, as the vendor says${valid === false ? html` <span class="must">(over)</span>` : ''}${part}`;
}
