import { html, type SafeHtml } from '@remix-run/html-template';
import type { BrandDeclaration } from '../../domain/declaration.ts';
import type { HtmlPage, PageSite, PlacedSite } from '../layout.ts';
import { agentPath, amountText, moment, outward, pill, plain, said, sameAsJson } from '../texts.ts';
import {
  domainLink,
  domainPath,
  fact,
  howFresh,
  names,
  onThisPage,
  scrolling,
  visitNote,
  visitPill,
} from './file-parts.ts';
import { findingsInText } from './findings.ts';
import { historyText } from './history.ts';
import type { FileView } from './view.ts';

export interface BrandView extends FileView {
  /** The resolved brand; absent: no brand.json mentions the domain. */
  readonly resolved?: {
    readonly brand_name?: unknown;
    readonly house_domain?: unknown;
    readonly claimed_house_domain?: unknown;
    readonly relationship_trust?: unknown;
  };
  /** The content of its file; absent: no valid file, or too long to show. */
  readonly value?: BrandDeclaration;
  /** Properties that its adagents.json lists. */
  readonly propertyCount: number;
  readonly isPublisher: boolean;
}

/** The six relations of a brand and its house. */
const RELATIONS: Readonly<Record<string, readonly ['good' | 'warn' | 'bad' | 'calm', string, string]>> = {
  inline: ['good', 'Declared by its house', 'The file of its house declares this brand.'],
  mutual: ['good', 'Confirmed by both sides', 'The brand and its house name each other.'],
  leaf_only: ['warn', 'Not confirmed by the house', 'The brand names a house that does not name it back.'],
  house_only: [
    'warn',
    'Claimed by a house only',
    'A house names this brand, but the brand does not name the house, so the relation is not used.',
  ],
  standalone: ['calm', 'Independent', 'No file names a house of this brand.'],
  unverifiable: ['warn', 'Not verifiable', 'The brand names a house whose file the registry has not read.'],
};

const HOUSE = ['good', 'House', 'This domain is a house: its file declares or names its brands.'] as const;

/** `/brands/{domain}`: the content of its brand.json, and whether the other side confirms it. */
export function pageOfBrand(site: PlacedSite, view: BrandView): HtmlPage {
  const { domain, visit, value, resolved = {}, findings } = view;
  const path = domainPath(site, 'brands', domain);
  const name = plain(String(resolved.brand_name ?? domain), 100) || domain;
  const [tone, short, long] =
    resolved.house_domain === domain ? HOUSE : (RELATIONS[String(resolved.relationship_trust)] ?? []);
  const errors = findings.findings.filter(({ severity }) => severity === 'error').length;
  return {
    title: name,
    description: `The brand.json of ${domain}: house, brands, agents and keys.`,
    trail: [{ text: 'Agents', path: '/' }, { text: 'Brands', path: '/brands' }, { text: domain }],
    content: html`<h1>${said(name, 100)}</h1>
<p class="place"><code dir="ltr">${plain(domain, 253)}</code></p>
<p class="pills">${tone === undefined ? pill('calm', 'No brand.json') : pill(tone, short ?? '')} ${visitPill(visit)}${errors > 0 ? html` ${pill('bad', amountText(errors, 'error'))}` : ''}</p>
${long === undefined ? '' : html`<p class="lead">${long}</p>`}
${visitNote(visit)}
<dl class="facts">${house(site, view)}${value === undefined ? '' : contact(value)}${view.isPublisher ? fact('Properties', html`<a href="${domainPath(site, 'publishers', domain)}#properties">${amountText(view.propertyCount, 'property', 'properties')} in its adagents.json</a>`) : ''}</dl>
${onThisPage([
  ['agents', 'Agents and keys'],
  ['house', 'Brands and operators'],
  ['wrong', 'Errors and warnings'],
  ['history', 'History'],
  ['fresh', 'Last checked'],
])}
<section aria-labelledby="agents"><h2 id="agents">Agents and keys</h2>${agents(site, view)}</section>
<section aria-labelledby="house"><h2 id="house">Brands and operators</h2>${brands(site, view)}</section>
<section aria-labelledby="wrong"><h2 id="wrong">Errors and warnings</h2>${findingsInText(site, view)}</section>
<section aria-labelledby="history"><h2 id="history">History</h2>${historyText(path, view)}</section>
<section aria-labelledby="fresh"><h2 id="fresh">Last checked</h2>${howFresh(site, { domain, page: 'brands' }, visit)}</section>
${sameAsJson(site, `${site.root}/api/brands/resolve?domain=${encodeURIComponent(domain)}`)}`,
  };
}

function house(site: PageSite, { resolved = {} }: BrandView): SafeHtml | string {
  const { house_domain: own, claimed_house_domain: claimed } = resolved;
  if (typeof own === 'string') return fact('House', domainLink(site, 'brands', own));
  return typeof claimed === 'string'
    ? fact('House (not confirmed)', domainLink(site, 'brands', claimed))
    : '';
}

function contact({
  contact: { name = '', email = '', website = '' } = {},
}: BrandDeclaration): SafeHtml | string {
  if (`${name}${email}${website}` === '') return '';
  return fact(
    'Contact',
    html`${said(name, 60)} ${said(email, 80)} ${website === '' ? '' : outward(website)}`,
  );
}

function agents(site: PageSite, { value, most }: BrandView): SafeHtml {
  const all = value?.agents ?? [];
  if (all.length === 0) return html`<p>The file declares no agents.</p>`;
  const rows = all
    .slice(0, most)
    .map(({ agent, type, name, id, jwksUri, brandId }) => [
      html`<a href="${agentPath(site, agent)}">${said(name ?? agent, 100)}</a>${name === undefined ? '' : html`<p class="type">${said(agent, 100)}</p>`}`,
      said(type, 20),
      id === undefined ? '–' : html`<code>${said(id, 60)}</code>`,
      jwksUri === undefined ? html`<code>/.well-known/jwks.json</code> at its origin` : outward(jwksUri),
      brandId === undefined ? 'All' : said(brandId, 60),
    ]);
  return html`${scrolling('Agents', ['Agent', 'Type', 'Id', 'Keys', 'Brand'], rows)}${rest(all.length, rows.length)}`;
}

function brands(site: PageSite, { value, most }: BrandView): SafeHtml {
  const { brands: own = [], brandRefs: refs = [], authorizedOperators: operators = [] } = value ?? {};
  if (own.length + refs.length + operators.length === 0)
    return html`<p>The file declares no brands and no operators.</p>`;
  const inside = own.slice(0, most);
  const outside = refs.slice(0, most);
  const speakers = operators.slice(0, most);
  return html`${inside.length === 0 ? '' : html`<h3>Brands declared in this file</h3><ul class="places">${inside.map(({ id, names: all }) => html`<li><b>${said(all[0]?.name ?? id, 100)}</b> <code>${said(id, 80)}</code></li>`)}</ul>${rest(own.length, inside.length)}`}
${outside.length === 0 ? '' : html`<h3>Brands with their own file</h3><ul class="places">${outside.map(({ domain, brandId }) => html`<li>${domainLink(site, 'brands', domain)}${brandId === undefined ? '' : html` <code>${said(brandId, 80)}</code>`}</li>`)}</ul>${rest(refs.length, outside.length)}`}
${speakers.length === 0 ? '' : html`<h3>Authorized operators</h3><ul class="places">${speakers.map(({ domain, brands: of, countries, scopes, validUntil }) => html`<li>${domainLink(site, 'brands', domain)}<p class="type">Brands: ${of.length === 0 ? 'none named' : names(of)}${countries.length === 0 ? '' : html`. Countries: ${names(countries, 12)}`}${scopes.length === 0 ? '' : html`. Scopes: ${names(scopes)}`}${validUntil === undefined ? '' : html`. Until ${moment(timeOf(validUntil))}`}</p></li>`)}</ul>${rest(operators.length, speakers.length)}`}`;
}

/** A file may contain a year that RFC 3339 cannot express. */
function timeOf(at: number): string | undefined {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : undefined;
}

function rest(all: number, shown: number): SafeHtml | string {
  return all > shown ? html`<p>… and ${(all - shown).toLocaleString('en-GB')} more.</p>` : '';
}
