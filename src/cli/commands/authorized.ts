import { InvalidArgumentError } from 'commander';
import type { AuthorisationAnswer } from '../../api/render/authorisation-answer.ts';
import type { VisitState } from '../../api/render/visit-state.ts';
import type { Question } from '../../domain/authorisation-question.ts';
import { readCountry } from '../../domain/country.ts';
import { SITE_TYPES } from '../../domain/declaration.ts';
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

/** 0 for a yes, 1 for a no. */
export default command({
  name: 'authorized',
  description:
    'May this agent sell this? Answer from the files of the publishers, with the rule. Exit with 0 for a yes, 1 for a no.',
  arguments: [['<url>', 'the agent']],
  flags: {
    property: parsedFlag(
      '--property <type:value>',
      'an identifier, as in domain:news.example',
      readIdentifier,
    ),
    propertyId: conflicting(textFlag('--property-id <id>', 'the id of a property of --publisher'), [
      'property',
    ]),
    publisher: parsedFlag(
      '--publisher <domain>',
      'whose property it is; without a property, all that the publisher has',
      domainArgument,
    ),
    country: parsedFlag('--country <code>', 'where, two letters (ISO 3166-1)', countryArgument),
    placement: textFlag('--placement <id>', 'a placement of the publisher'),
    collection: textFlag('--collection <id>', 'a collection of the publisher'),
    at: parsedFlag('--at <time>', 'as of this moment, RFC 3339; a date is its midnight UTC', readMoment),
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
      throw new RegistryError('usage', 'nothing to sell was named', {
        hint: 'name a property, as in --property domain:news.example, or --publisher with --property-id ID',
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

function print({ authorized, because, until, stale }: AuthorisationAnswer, visit?: VisitState): void {
  printLine(authorized ? 'authorized' : 'not authorized');
  for (const reason of because) {
    const {
      rule,
      hint,
      file,
      entry,
      within,
      covers,
      nearest,
      exclusive,
      delegation_type: delegation,
    } = reason;
    printLine(`  ${visible(rule)}`);
    if (hint !== undefined) printLine(`    hint: ${hint}`);
    if (file !== undefined) printLine(`    ${visible(`${file} ${entry ?? ''}`.trim())}`);
    if (nearest !== undefined && nearest.length > 0) printLine(`    nearest: ${visible(nearest.join(', '))}`);
    for (const [name, values] of Object.entries(covers ?? {}))
      printLine(`    the entry covers ${name.replaceAll('_', ' ')} ${visible(JSON.stringify(values))}`);
    for (const [limit, values] of Object.entries(within ?? {}))
      printLine(`    only ${limit.replaceAll('_', ' ')} ${visible(JSON.stringify(values))}`);
    if (delegation !== undefined) printLine(`    delegation ${delegation}`);
    if (exclusive) printLine('    exclusive');
  }
  if (until !== null) printLine(`  it can change at ${until}`);
  if (stale) printLine('  stale: the file could not be read lately, and this is what the last good one says');
  // whoever reads a yes of a file that is gone should know that it ends
  if (visit && visit.last_tried_at !== visit.last_good_at)
    for (const line of visitLines(visit)) printLine(`  ${line}`);
}

function readIdentifier(text: string) {
  const colon = text.indexOf(':');
  const [type, value] = [text.slice(0, colon), text.slice(colon + 1)];
  if (colon < 1 || value === '')
    throw new InvalidArgumentError(
      'TYPE:VALUE is expected, as in domain:news.example or ios_bundle:com.news.app.',
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
  throw new InvalidArgumentError('a time is expected, as in 2026-11-22 or 2026-11-22T12:00:00Z.');
}
