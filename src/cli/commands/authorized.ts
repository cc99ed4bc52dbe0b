import { InvalidArgumentError } from 'commander';
import type { AuthorisationAnswer } from '../../api/render/authorisation-answer.ts';
import type { VisitState } from '../../api/render/visit-state.ts';
import type { Question } from '../../domain/authorisation-question.ts';
import { readCountry } from '../../domain/country.ts';
import { SITE_TYPES } from '../../domain/declaration.ts';
import { shellWord } from '../../domain/shell-word.ts';
import { readInstant } from '../../domain/text.ts';
import { RegistryError } from '../../errors.ts';
import { command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { conflicting, parsedFlag, textFlag } from '../flags.ts';
import { domainArgument, namedAgentUrl } from '../input/arguments.ts';
import { printJson, printLine } from '../output/print.ts';
import { visible } from '../output/visible.ts';
import { visitLines } from '../output/visit-lines.ts';
import { READ, withStore } from '../setup/store.ts';
import { JSON_FLAG, STORE_FLAGS } from '../shared-flags.ts';

/** Exits with 0 for yes, with 1 for no. */
export default command({
  name: 'authorized',
  description:
    'Check whether an agent may sell a property, by the files of the publishers. Print the rule and what the entry covers. Exit with 0 for yes, 1 for no.',
  arguments: [['<url>', 'the agent']],
  flags: {
    property: parsedFlag(
      '--property <type:value>',
      'identifier of the property, for example domain:news.example',
      readIdentifier,
    ),
    propertyId: conflicting(textFlag('--property-id <id>', 'id of a property of --publisher'), ['property']),
    publisher: parsedFlag(
      '--publisher <domain>',
      'domain of the publisher; without a property, its whole inventory',
      domainArgument,
    ),
    country: parsedFlag('--country <code>', 'country, two letters (ISO 3166-1)', countryArgument),
    placement: textFlag('--placement <id>', 'id of a placement of the publisher'),
    collection: textFlag('--collection <id>', 'id of a collection of the publisher'),
    at: parsedFlag('--at <time>', 'point in time, RFC 3339; a date means midnight UTC', readMoment),
    ...STORE_FLAGS,
    ...JSON_FLAG,
  },
  examples: [
    'agent-registry authorized https://sales.example/mcp --property domain:news.example --country DE',
    'agent-registry authorized https://sales.example/mcp --publisher news.example --property-id home --at 2026-10-01',
  ],
  async run({ property, propertyId, at, json, store, ...asked }, url) {
    const agent = namedAgentUrl(url, 'looked up');
    if (asked.publisher === undefined && property === undefined)
      throw new RegistryError('usage', 'no property and no publisher given', {
        hint: 'add --property domain:news.example, or --publisher DOMAIN with --property-id ID',
      });
    const { maySell } = await import('../../discovery/may-sell.ts');
    const { withDomainsNear } = await import('../../api/domains-near.ts');
    const { authorisationAnswer, publisherOf } = await import('../../api/render/authorisation-answer.ts');
    const { visitState } = await import('../../api/render/visit-state.ts');
    return withStore({ ...(store !== undefined && { store }) }, READ, async ({ records, clock }) => {
      const now = clock.now();
      const question: Question = {
        agent,
        ...asked,
        ...(property !== undefined && { property }),
        ...(propertyId !== undefined && { property: { id: propertyId } }),
        at: at ?? now,
      };
      const found = await maySell(records.authorisations, question, now);
      const body = authorisationAnswer(question, await withDomainsNear(records, found, question));
      const publisher = publisherOf(body);
      const source = publisher && (await records.sources.get({ kind: 'adagents', key: publisher }));
      const visit = source ? visitState('adagents', source, now) : undefined;
      if (json) printJson({ ...body, ...(visit && { visit }) });
      else print(body, visit);
      return body.authorized ? EXIT.ok : EXIT.findings;
    });
  },
});

function print(answer: AuthorisationAnswer, visit?: VisitState): void {
  const { authorized, because, until, stale } = answer;
  printLine(authorized ? 'authorized' : 'not authorized');
  for (const reason of because)
    for (const line of reasonLines(reason, answer)) printLine(`  ${visible(line)}`);
  if (until !== null) printLine(`  this answer can change at ${until}`);
  if (stale)
    printLine('  stale: the last visits could not read the file; the answer is from the last good version');
  // an old file loses its effect in the end
  if (visit && visit.last_tried_at !== visit.last_good_at)
    for (const line of visitLines(visit)) printLine(`  ${line}`);
}

type Reason = AuthorisationAnswer['because'][number];

/** The rule, then the place in the file, and everything that the entry is limited to. */
function reasonLines(reason: Reason, { country }: AuthorisationAnswer): readonly string[] {
  const { rule, hint, file, entry, within = {}, covers = {}, nearest = [], exclusive } = reason;
  const ids = covers.property_ids ?? [];
  const isOtherCountry = country !== undefined && covers.countries?.includes(country) === false;
  const details = [
    file === undefined ? '' : `file: ${`${file} ${entry ?? ''}`.trim()}`,
    ...coverLines(covers),
    isOtherCountry ? `the entry does not cover the country ${country}` : '',
    ...coverLines(within),
    reason.delegation_type === undefined ? '' : `delegation: ${reason.delegation_type}`,
    exclusive ? 'exclusive' : '',
    nearest.length === 0 ? '' : `similar: ${nearest.join(', ')}`,
    hint === undefined ? '' : `hint: ${hint}`,
    reason.code === 'part_only' && ids[0] !== undefined
      ? `for example: --property-id ${shellWord(ids[0])}`
      : '',
  ];
  return [rule, ...details.filter((line) => line !== '').map((line) => `  ${line}`)];
}

type Covered = NonNullable<Reason['covers']>;

const ALL = { inventory: 'the whole inventory', listed: 'all listed properties' } as const;

/** A line for each part of what an entry covers. Without a line about countries it covers all of them. */
function coverLines(covers: Covered): readonly string[] {
  const { all, property_ids, property_tags, countries, placement_ids, placement_tags, collections } = covers;
  const texts = {
    'property ids': property_ids,
    'property tags': property_tags,
    'only the countries': countries,
    'only the placements': placement_ids,
    'only placements with the tags': placement_tags,
    'only the collections': collections?.map(({ publisher_domain: domain, collection_ids: ids }) =>
      ids === undefined ? `all of ${domain}` : `${ids.join(', ')} of ${domain}`,
    ),
  };
  return [
    ...(all === undefined ? [] : [`covers ${ALL[all]}`]),
    ...Object.entries(texts).flatMap(([name, values]) =>
      values === undefined || values.length === 0 ? [] : [`covers ${name}: ${values.join(', ')}`],
    ),
    ...(covers.truncated ? ['and more'] : []),
  ];
}

function readIdentifier(text: string) {
  const colon = text.indexOf(':');
  const [type, value] = [text.slice(0, colon), text.slice(colon + 1)];
  if (colon < 1 || value === '')
    throw new InvalidArgumentError(
      'Use TYPE:VALUE, for example domain:news.example or ios_bundle:com.news.app.',
    );
  if (!SITE_TYPES.has(type)) return { type, value };
  const star = value.startsWith('*.') ? '*.' : '';
  return { type, value: star + domainArgument(value.slice(star.length)) };
}

function countryArgument(text: string): string {
  const read = readCountry(text);
  if (read.ok) return read.country;
  throw new InvalidArgumentError(`${read.problem}.`);
}

function readMoment(text: string): number {
  const at = readInstant(text)?.at;
  if (at !== undefined) return at;
  throw new InvalidArgumentError('Use an RFC 3339 time, for example 2026-11-22 or 2026-11-22T12:00:00Z.');
}
