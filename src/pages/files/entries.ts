import { html, type SafeHtml } from '@remix-run/html-template';
import { PROPERTY_TYPES } from '../../domain/declaration.ts';
import type { PageSite } from '../layout.ts';
import { agentPath, moment, pill, plain, said, sentence } from '../texts.ts';
import { listPager, names, type Row, scrolling } from './file-parts.ts';
import type { ShownEntry } from './view.ts';

/** Entries and the filters that selected them. */
export interface EntriesView {
  /** The parameters of the form and the cursor; no empty values. */
  readonly asked: URLSearchParams;
  readonly entries: readonly ShownEntry[];
  /** The listed agents among them by URL. */
  readonly agents?: ReadonlyMap<string, { readonly name: string; readonly type: string } | undefined>;
  readonly cursor: string | null;
  /** The filter compared only the first properties. */
  readonly isCut: boolean;
  /** An invalid filter, which is ignored. */
  readonly problem?: string;
}

const DELEGATIONS: Readonly<Record<string, string>> = {
  direct: 'Direct',
  delegated: 'Delegated',
  ad_network: 'Ad network',
};

/** The authorized agents: filters and the table. `path` is the page's own. */
export function entriesTable(site: PageSite, path: string, view: EntriesView): SafeHtml {
  const { asked, entries, agents, cursor, isCut, problem } = view;
  const filters = [...asked.keys()].filter((name) => name !== 'cursor');
  const nothing =
    filters.length === 0
      ? html`<p>The file authorizes no agents.</p>`
      : html`<p>No matching entries. <a href="${path}#sells">Clear filters</a></p>`;
  return html`<form class="search" action="${path}#sells" method="get">
${field('agent', 'Agent', asked, 'Part of its URL')}
${field('country', 'Country', asked, 'DE')}
${field('property', 'Property', asked, 'Id or domain')}
<div><label for="f-type">Property type</label><select id="f-type" name="type"><option value="">All</option>${PROPERTY_TYPES.map((type) => html`<option value="${type}"${asked.get('type') === type ? html` selected` : ''}>${type}</option>`)}</select></div>
<button>Filter</button></form>
${problem === undefined ? '' : html`<p class="notice" role="alert">${sentence(problem, 300)} This filter is ignored. <a href="${path}#sells">Clear filters</a></p>`}
${isCut ? html`<p class="notice">The publisher has more properties than the filter compares, so matches can be missing.</p>` : ''}
${entries.length > 0 ? table(site, entries, agents) : problem === undefined && cursor === null ? nothing : ''}
${listPager(path, asked, { cursor, anchor: '#sells' })}`;
}

function field(name: string, label: string, asked: URLSearchParams, placeholder: string): SafeHtml {
  return html`<div><label for="f-${name}">${label}</label><input id="f-${name}" name="${name}" value="${plain(asked.get(name) ?? '', 300)}" maxlength="2000" autocomplete="off" placeholder="${placeholder}"></div>`;
}

/** The last column is left out if no entry has terms. */
function table(site: PageSite, entries: readonly ShownEntry[], agents: EntriesView['agents']): SafeHtml {
  const isSaid = entries.some((entry) => how(entry).length > 0);
  const head = ['Agent', 'Authorized for', 'Countries and limits', 'Validity', ...(isSaid ? ['Terms'] : [])];
  const rows = entries.map((entry) => row(site, entry, { isSaid, known: agents?.get(entry.agent_url) }));
  return scrolling('Authorized agents', head, rows);
}

interface RowParts {
  readonly isSaid: boolean;
  readonly known: { readonly name: string; readonly type: string } | undefined;
}

function row(site: PageSite, entry: ShownEntry, { isSaid, known }: RowParts): Row {
  const { agent_url: agent, authorized_for: text, sells, since, line, entry: pointer } = entry;
  const parts = how(entry);
  return [
    html`<a href="${agentPath(site, agent)}">${said(agent, 100)}</a>${known === undefined ? '' : html`<p><span class="kind">${said(known.type, 20)}</span> ${said(known.name, 100)}</p>`}<p class="type">${line === undefined ? '' : html`line ${line}, `}<code>${said(pointer, 80)}</code>, since ${moment(since)}</p>`,
    html`${forWhat(entry)}${text === undefined ? '' : html`<p class="type">${said(text, 160)}</p>`}${sells ? '' : pill('warn', 'Covers no property')}`,
    ...[where(entry), when(entry)],
    ...(isSaid ? [parts.length === 0 ? '–' : joined(parts)] : []),
  ];
}

function forWhat({ covers, authorization_type: type }: ShownEntry): SafeHtml {
  if (covers === null) return html`Too long to show (${said(type, 40)})`;
  const { all, property_ids: ids, property_tags: tags, signals, inline } = covers;
  const parts = [
    ...(all === 'inventory' ? [html`All properties of the publisher`] : []),
    ...(all === 'listed' ? [html`All listed properties`] : []),
    ...(ids === undefined ? [] : [html`Properties ${names(ids)}`]),
    ...(tags === undefined ? [] : [html`Properties tagged ${names(tags)}`]),
    ...(inline ? [html`Properties listed in the entry`] : []),
    ...(signals === undefined ? [] : [html`Signals ${names(signals)}`]),
  ];
  return parts.length === 0 ? html`Nothing` : joined(parts);
}

function where({ limits }: ShownEntry): SafeHtml {
  if (limits === null) return html`Limits too long to show`;
  const { countries, placement_ids: ids, placement_tags: tags, collections } = limits;
  const parts = [
    countries === undefined ? html`All countries` : html`Countries ${names(countries, 12)}`,
    ...(ids === undefined ? [] : [html`Placements ${names(ids)}`]),
    ...(tags === undefined ? [] : [html`Placements tagged ${names(tags)}`]),
    ...(collections === undefined
      ? []
      : [
          html`Collections ${names(collections.flatMap((one) => one.collection_ids ?? `all of ${one.publisher_domain}`))}`,
        ]),
  ];
  return joined(parts);
}

function when({ limits }: ShownEntry): SafeHtml {
  const { effective_from: from, effective_until: until } = limits ?? {};
  if (limits === null) return html`See the file`;
  if (until === undefined)
    return from === undefined ? html`No end date` : html`From ${moment(from)}, no end date`;
  return from === undefined
    ? html`Until ${moment(until)}`
    : html`From ${moment(from)} until ${moment(until)}`;
}

function how({ limits, pins_keys: pins }: ShownEntry): readonly SafeHtml[] {
  const { delegation_type: delegation, exclusive } = limits ?? {};
  return [
    ...(delegation === undefined ? [] : [html`${DELEGATIONS[delegation] ?? said(delegation, 40)}`]),
    ...(exclusive === true ? [html`Exclusive`] : []),
    ...(pins ? [html`Pinned keys`] : []),
  ];
}

function joined(parts: readonly SafeHtml[]): SafeHtml {
  return html`${parts.map((part, at) => html`${at === 0 ? '' : '; '}${part}`)}`;
}
