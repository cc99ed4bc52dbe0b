import { plain } from '../../pages/texts.ts';
import type { SearchCard } from '../../query/search-document.ts';

const MOST = 5;

/** Questions that any agent of a type answers, by what the protocol has it do. */
const OF_TYPE: Readonly<Record<string, readonly [string, string]>> = {
  sales: ['which advertising products are for sale here', 'buy advertising and report on its delivery'],
  buying: ['plan a media buy for a brief', 'spend an advertising budget across sellers'],
  measurement: ['measure an advertising campaign', 'which metrics are offered for a campaign'],
  creative: ['make creatives from a brief', 'which creative formats are supported'],
  signals: ['find audience segments for a campaign', 'activate a signal on a platform'],
  governance: ['check a campaign against brand safety rules', 'which properties suit a brand'],
  brand: ['what are the guidelines of this brand', 'find the logo and colours of a brand'],
  rights: ['license the likeness of a talent', 'which rights may an advertisement use'],
};
const OF_ANY = [
  'what can this advertising agent do',
  'which tasks does this advertising agent have',
] as const;

/**
 * Two to five questions that this agent serves (ARD v0.91, 4.2), made of what it exposes: its metrics, formats, channels,
 * specialisms and markets come before what all of its type do.
 */
export function representativeQueries(card: SearchCard): readonly string[] {
  const { type, metrics, accreditations, channels, markets, specialisms, format_kinds: formats } = card;
  const [body] = accreditations;
  const [market] = markets;
  const where = market === undefined ? '' : ` in ${said(market)}`;
  const own = [
    ...metrics.slice(0, 2).map((metric) => `measure ${said(metric)} of a campaign`),
    ...(body === undefined ? [] : [`who is accredited by ${said(body)}`]),
    ...channels.slice(0, 2).map((channel) => `buy ${said(channel)} advertising${where}`),
    ...formats.slice(0, 1).map((format) => `who makes ${said(format)} creatives`),
    ...specialisms.slice(0, 2).map((specialism) => `find an agent for ${said(specialism)}`),
  ];
  const usual = Object.hasOwn(OF_TYPE, type) ? (OF_TYPE[type] ?? OF_ANY) : OF_ANY;
  return [...new Set([...own.slice(0, MOST - usual.length), ...usual])];
}

function said(text: string): string {
  return plain(text.replaceAll(/[_-]+/g, ' '), 60);
}
