import { html, type SafeHtml } from '@remix-run/html-template';
import { PROPERTY_TYPES } from '../../domain/declaration.ts';
import type { PageSite } from '../layout.ts';
import { agentPath, moment, pill, plain, said, sentence } from '../texts.ts';
import { listPager, names, type Row, scrolling } from './file-parts.ts';
import type { ShownEntry } from './view.ts';

/** Entries, and what they were asked for. */
export interface EntriesView {
  /** The parameters of the form, none of them empty, with the cursor. */
  readonly asked: URLSearchParams;
  readonly entries: readonly ShownEntry[];
  readonly cursor: string | null;
  /** A filter looked at the first properties only. */
  readonly isCut: boolean;
  /** What cannot be read in the question: the entries are those of the rest of it. */
  readonly problem?: string;
}

const DELEGATIONS: Readonly<Record<string, string>> = {
  direct: 'direct',
  delegated: 'delegated by the publisher',
  ad_network: 'ad network',
};

/** The authorized agents: a form that filters them, and the table. `path` is the page's own. */
export function entriesTable(site: PageSite, path: string, view: EntriesView): SafeHtml {
  const { asked, entries, cursor, isCut, problem } = view;
  const filters = [...asked.keys()].filter((name) => name !== 'cursor');
  const nothing =
    filters.length === 0
      ? html`<p>No agent is authorized today.</p>`
      : html`<p>No matching agents. <a href="${path}#sells">Show all</a></p>`;
  return html`<form class="search" action="${path}#sells" method="get">
${field('agent', 'Agent', asked, 'Part of its URL')}
${field('country', 'Country', asked, 'DE')}
${field('property', 'Property', asked, 'Its id or a domain')}
<div><label for="f-type">Type</label><select id="f-type" name="type"><option value="">All</option>${PROPERTY_TYPES.map((type) => html`<option value="${type}"${asked.get('type') === type ? html` selected` : ''}>${type}</option>`)}</select></div>
<button>Filter</button></form>
${problem === undefined ? '' : html`<p class="notice" role="alert">${sentence(problem, 300)} <a href="${path}#sells">Show all</a></p>`}
${isCut ? html`<p class="notice">The publisher lists more properties than the filters search; some entries may be missing.</p>` : ''}
${entries.length > 0 ? table(site, entries) : problem === undefined && cursor === null ? nothing : ''}
${listPager(path, asked, { cursor, anchor: '#sells' })}`;
}

function field(name: string, label: string, asked: URLSearchParams, placeholder: string): SafeHtml {
  return html`<div><label for="f-${name}">${label}</label><input id="f-${name}" name="${name}" value="${plain(asked.get(name) ?? '', 300)}" maxlength="2000" autocomplete="off" placeholder="${placeholder}"></div>`;
}

/** Most entries say nothing of how an agent sells: then there is no such column. */
function table(site: PageSite, entries: readonly ShownEntry[]): SafeHtml {
  const isSaid = entries.some((entry) => how(entry).length > 0);
  const head = ['Agent', 'Covers', 'Limits', 'Valid', ...(isSaid ? ['Terms'] : [])];
  const rows = entries.map((entry) => row(site, entry, isSaid));
  return scrolling('Authorized agents', head, rows);
}

function row(site: PageSite, entry: ShownEntry, isSaid: boolean): Row {
  const { agent_url: agent, authorized_for: text, sells, since, line, entry: pointer } = entry;
  const parts = how(entry);
  return [
    html`<a href="${agentPath(site, agent)}">${said(agent, 100)}</a><p class="type">${line === undefined ? '' : html`line ${line}, `}<code>${said(pointer, 80)}</code>, since ${moment(since)}</p>`,
    html`${forWhat(entry)}${text === undefined ? '' : html`<p class="type">${said(text, 160)}</p>`}${sells ? '' : pill('warn', 'covers no listed property')}`,
    ...[where(entry), when(entry)],
    ...(isSaid ? [parts.length === 0 ? '–' : joined(parts)] : []),
  ];
}

function forWhat({ covers, authorization_type: type }: ShownEntry): SafeHtml {
  if (covers === null) return html`too many to list (${said(type, 40)})`;
  const { all, property_ids: ids, property_tags: tags, signals, inline } = covers;
  const parts = [
    ...(all === 'inventory' ? [html`the whole inventory`] : []),
    ...(all === 'listed' ? [html`all listed properties`] : []),
    ...(ids === undefined ? [] : [html`properties ${names(ids)}`]),
    ...(tags === undefined ? [] : [html`properties tagged ${names(tags)}`]),
    ...(inline ? [html`properties listed in the entry`] : []),
    ...(signals === undefined ? [] : [html`signals ${names(signals)}`]),
  ];
  return parts.length === 0 ? html`nothing` : joined(parts);
}

function where({ limits }: ShownEntry): SafeHtml {
  if (limits === null) return html`limits too long to show`;
  const { countries, placement_ids: ids, placement_tags: tags, collections } = limits;
  const parts = [
    countries === undefined ? html`in all countries` : html`in ${names(countries, 12)}`,
    ...(ids === undefined ? [] : [html`placements ${names(ids)}`]),
    ...(tags === undefined ? [] : [html`placements tagged ${names(tags)}`]),
    ...(collections === undefined
      ? []
      : [
          html`collections ${names(collections.flatMap((one) => one.collection_ids ?? `all of ${one.publisher_domain}`))}`,
        ]),
  ];
  return joined(parts);
}

function when({ limits }: ShownEntry): SafeHtml {
  const { effective_from: from, effective_until: until } = limits ?? {};
  if (limits === null) return html`see the file`;
  if (until === undefined)
    return from === undefined ? html`No end date` : html`from ${moment(from)}, no end date`;
  return html`${from === undefined ? '' : html`from ${moment(from)} `}until ${moment(until)}`;
}

function how({ limits, pins_keys: pins }: ShownEntry): readonly SafeHtml[] {
  const { delegation_type: delegation, exclusive } = limits ?? {};
  return [
    ...(delegation === undefined ? [] : [html`${DELEGATIONS[delegation] ?? said(delegation, 40)}`]),
    ...(exclusive === true ? [html`exclusive`] : []),
    ...(pins ? [html`pinned keys`] : []),
  ];
}

function joined(parts: readonly SafeHtml[]): SafeHtml {
  return html`${parts.map((part, at) => html`${at === 0 ? '' : '; '}${part}`)}`;
}
