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
  visitPill,
} from './file-parts.ts';
import { findingsInText } from './findings.ts';
import { historyText } from './history.ts';
import type { FileView } from './view.ts';

export interface BrandView extends FileView {
  /** Who the domain is; absent: no file speaks of it. */
  readonly resolved?: {
    readonly brand_name?: unknown;
    readonly house_domain?: unknown;
    readonly claimed_house_domain?: unknown;
    readonly relationship_trust?: unknown;
  };
  /** What its file says; absent: none counts, or it is too long to be shown. */
  readonly value?: BrandDeclaration;
  /** Properties that its adagents.json lists. */
  readonly propertyCount: number;
  readonly isPublisher: boolean;
}

/** The six ways in which a brand and its house stand to each other. */
const RELATIONS: Readonly<Record<string, readonly ['good' | 'warn' | 'bad' | 'calm', string, string]>> = {
  inline: ['good', 'in the file of its house', 'The brand stands in the file of its house.'],
  mutual: ['good', 'both sides agree', 'The brand and its house name each other.'],
  leaf_only: ['warn', 'the house does not agree', 'The brand names a house that does not name it back.'],
  house_only: [
    'warn',
    'only a house says so',
    'A house names the brand, which does not name it back: no adoption.',
  ],
  standalone: ['calm', 'stands for itself', 'Nobody says that it has a house.'],
  unverifiable: ['warn', 'cannot be verified', 'It names a house whose file is not known.'],
};

const HOUSE = [
  'good',
  'a house',
  'It is a house: its brands stand in its file, or are named there.',
] as const;

/** `/brands/{domain}`: what its brand.json says, and who agrees. */
export function pageOfBrand(site: PlacedSite, view: BrandView): HtmlPage {
  const { domain, visit, value, resolved = {}, findings } = view;
  const path = domainPath(site, 'brands', domain);
  const name = plain(String(resolved.brand_name ?? domain), 100) || domain;
  const [tone, short, long] =
    resolved.house_domain === domain ? HOUSE : (RELATIONS[String(resolved.relationship_trust)] ?? []);
  const errors = findings.findings.filter(({ severity }) => severity === 'error').length;
  return {
    title: name,
    description: `What the brand.json of ${domain} says: its house, brands, agents and keys.`,
    trail: [{ text: 'Agents', path: '/' }, { text: 'Brands', path: '/brands' }, { text: domain }],
    content: html`<h1>${said(name, 100)}</h1>
<p class="place"><code dir="ltr">${plain(domain, 253)}</code></p>
<p class="pills">${tone === undefined ? pill('calm', 'no file speaks of it') : pill(tone, short ?? '')} ${visitPill(visit)}${errors > 0 ? html` ${pill('bad', amountText(errors, 'error'))}` : ''}</p>
${long === undefined ? '' : html`<p class="lead">${long}</p>`}
<dl class="facts">${house(site, view)}${value === undefined ? '' : contact(value)}${view.isPublisher ? fact('Properties', html`<a href="${domainPath(site, 'publishers', domain)}#properties">${amountText(view.propertyCount, 'property', 'properties')} in its adagents.json</a>`) : ''}</dl>
${onThisPage([
  ['agents', 'Agents and keys'],
  ['house', 'Brands of the house'],
  ['wrong', 'What is wrong'],
  ['history', 'History'],
  ['fresh', 'How fresh'],
])}
<section aria-labelledby="agents"><h2 id="agents">Agents and their keys</h2>${agents(site, view)}</section>
<section aria-labelledby="house"><h2 id="house">Brands of the house, and who speaks for it</h2>${brands(site, view)}</section>
<section aria-labelledby="wrong"><h2 id="wrong">What is wrong in the file</h2>${findingsInText(site, view)}</section>
<section aria-labelledby="history"><h2 id="history">History</h2>${historyText(path, view)}</section>
<section aria-labelledby="fresh"><h2 id="fresh">How fresh this is</h2>${howFresh(site, domain, visit)}</section>
${sameAsJson(site, `${site.root}/api/brands/resolve?domain=${encodeURIComponent(domain)}`)}`,
  };
}

function house(site: PageSite, { resolved = {} }: BrandView): SafeHtml | string {
  const { house_domain: own, claimed_house_domain: claimed } = resolved;
  if (typeof own === 'string') return fact('House', domainLink(site, 'brands', own));
  return typeof claimed === 'string'
    ? fact('House, as one side says', domainLink(site, 'brands', claimed))
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
  if (all.length === 0) return html`<p>The file names none.</p>`;
  const rows = all
    .slice(0, most)
    .map(({ agent, type, name, id, jwksUri, brandId }) => [
      html`<a href="${agentPath(site, agent)}">${said(name ?? agent, 100)}</a>${name === undefined ? '' : html`<p class="type">${said(agent, 100)}</p>`}`,
      said(type, 20),
      id === undefined ? '–' : html`<code>${said(id, 60)}</code>`,
      jwksUri === undefined ? html`<code>/.well-known/jwks.json</code> of its origin` : outward(jwksUri),
      brandId === undefined ? 'all' : said(brandId, 60),
    ]);
  return html`${scrolling('Agents', ['Agent', 'Type', 'Id', 'Keys', 'For the brand'], rows)}${rest(all.length, rows.length)}`;
}

function brands(site: PageSite, { value, most }: BrandView): SafeHtml {
  const { brands: own = [], brandRefs: refs = [], authorizedOperators: operators = [] } = value ?? {};
  if (own.length + refs.length + operators.length === 0) return html`<p>The file names none.</p>`;
  const inside = own.slice(0, most);
  const outside = refs.slice(0, most);
  const speakers = operators.slice(0, most);
  return html`${inside.length === 0 ? '' : html`<h3>In the file itself</h3><ul class="places">${inside.map(({ id, names: all }) => html`<li><b>${said(all[0]?.name ?? id, 100)}</b> <code>${said(id, 80)}</code></li>`)}</ul>${rest(own.length, inside.length)}`}
${outside.length === 0 ? '' : html`<h3>With a file of their own</h3><ul class="places">${outside.map(({ domain, brandId }) => html`<li>${domainLink(site, 'brands', domain)}${brandId === undefined ? '' : html` <code>${said(brandId, 80)}</code>`}</li>`)}</ul>${rest(refs.length, outside.length)}`}
${speakers.length === 0 ? '' : html`<h3>Operators that may speak for it</h3><ul class="places">${speakers.map(({ domain, brands: of, countries, scopes, validUntil }) => html`<li>${domainLink(site, 'brands', domain)}<p class="type">for ${of.length === 0 ? 'no brand that is named' : names(of)}${countries.length === 0 ? '' : html`, in ${names(countries, 12)}`}${scopes.length === 0 ? '' : html`, ${names(scopes)}`}${validUntil === undefined ? '' : html`, until ${moment(timeOf(validUntil))}`}</p></li>`)}</ul>${rest(operators.length, speakers.length)}`}`;
}

/** A file may name a year that no RFC 3339 time has. */
function timeOf(at: number): string | undefined {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : undefined;
}

function rest(all: number, shown: number): SafeHtml | string {
  return all > shown ? html`<p>… and ${(all - shown).toLocaleString('en-GB')} more.</p>` : '';
}
