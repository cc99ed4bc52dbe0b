import { html, type SafeHtml } from '@remix-run/html-template';
import type { DayHealth } from '../../domain/health-history.ts';
import { dayStrip } from '../health.ts';
import type { PageSite } from '../layout.ts';
import { agentPath, authorisedText, healthPill, moment, pill, plain, said, statusPill } from '../texts.ts';

/** An agent in the list. */
export interface ListedAgent {
  readonly url: string;
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  readonly status: string;
  /** Roles that it holds a badge for. */
  readonly verifiedRoles: readonly string[];
  /** Undefined: never probed. */
  readonly online?: boolean;
  /** RFC 3339; absent: it was never online. */
  readonly seenAt?: string;
  /** Of the last days, oldest first; absent: not read. */
  readonly health?: readonly DayHealth[];
  readonly properties: number;
  readonly publishers: number;
  readonly matched: readonly ListedMatch[];
  /** The accreditation that matches best has expired. */
  readonly isExpired?: boolean;
  /** Texts of it that have a word of the search. */
  readonly has: readonly { readonly field: string; readonly text: string }[];
}

/** A metric that met the filters, and the body that accredits it according to its vendor. */
interface ListedMatch {
  readonly metric_id: string;
  readonly accrediting_body?: string;
  readonly valid_until?: string;
  readonly valid?: boolean;
  /** The parameters and words that it met, where another metric met the others. */
  readonly part?: readonly string[];
}

const MOST_ROLES = 6;
const MOST_TEXTS = 2;
/** Fields with a word of the search that the list does not show otherwise. */
const FIELDS: Readonly<Record<string, string>> = {
  metrics: 'Measures',
  accreditations: 'Accreditation (self-declared)',
  specialisms: 'Specialism',
  tags: 'Tag',
  tools: 'Tool',
};
/** Fields that are left out where each matching metric is shown with its body. */
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
<div class="how"><p>${statusPill(agent.status)} ${healthPill(agent.online)}${verifiedRoles.length === 0 ? '' : html` ${pill('good', 'Verified')}`}${agent.isExpired ? html` ${pill('warn', 'Expired')}` : ''}</p>
${agent.health === undefined ? '' : dayStrip(agent.health)}
<p class="type">${agent.seenAt === undefined ? 'Never online' : html`Last online ${moment(agent.seenAt)}`}</p></div></li>`;
}

function whereWordsAre({ has, matched }: ListedAgent): SafeHtml[] {
  return has
    .flatMap(({ field, text }) => {
      const name = FIELDS[field];
      const isShown = matched.length > 0 && MEASURED.includes(field);
      return name === undefined || isShown ? [] : html`<p class="match">${name} <b>${said(text, 80)}</b></p>`;
    })
    .slice(0, MOST_TEXTS);
}

function matchText(match: ListedMatch): SafeHtml {
  const { metric_id: id, accrediting_body: body, valid_until: until, valid } = match;
  const metric = html`Measures <b>${said(id, 80)}</b>`;
  const part = partText(match);
  const rest = part === undefined ? '' : html` <span class="must">(${part})</span>`;
  if (body === undefined) return html`${metric}${rest}`;
  const day = until === undefined ? ', no end date' : html` until ${said(until, 10)}`;
  const expired = valid === false ? html` <span class="must">Expired</span>` : '';
  return html`${metric}, accredited by <b>${said(body, 80)}</b>${day} (self-declared)${expired}${rest}`;
}

/** Why a metric is shown that matches only some of the filters; another metric of the agent matches the others. */
function partText({ part }: ListedMatch): SafeHtml | string | undefined {
  if (part === undefined) return undefined;
  if (part.includes('metric_id') && !part.includes('accreditation')) return 'accredited for another metric';
  if (part.includes('accreditation') && !part.includes('metric_id')) return 'not the selected metric';
  const words = part.filter((name) => !PARAMETERS.includes(name));
  if (words.length === 0) return 'matches only a part of the filters';
  return html`matches only ${words.map((word, at) => html`${at === 0 ? '' : ', '}“${said(word, 60)}”`)}`;
}

const PARAMETERS: readonly string[] = ['metric_id', 'q', 'accreditation', 'accreditation_valid'];
