import { asText, defined, elements, isObject, type JsonObject } from '../../base/json.ts';
import { nearestName } from '../../base/near-names.ts';
import { parseAgentUrl } from '../../domain/agent-url.ts';
import { parseDomain } from '../../domain/domain-name.ts';
import type { Report } from '../report.ts';
import { SELECTED_BY } from './wanted-members.ts';

/** An object of a list with its place. */
export interface Listed {
  readonly value: JsonObject;
  readonly pointer: string;
}

/** What may be named: under `signals id`, `signals tag` and so on for each list. */
export type KnownNames = Readonly<Record<string, ReadonlySet<unknown>>>;

interface Naming {
  /** The domain that publishes the file, where it is known: whose property names no domain is its own. */
  readonly publisher?: string | undefined;
  readonly listed: Readonly<Record<string, readonly Listed[]>>;
  readonly names: KnownNames;
  readonly report: Report;
}

/** The members that name something of the catalogue, and where it stands; those of entries that readers check are not here. */
const NAMED_BY: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  placements: {
    property_ids: 'properties id',
    property_tags: 'properties tag',
    collection_ids: 'collections id',
  },
  formats: { applies_to_property_ids: 'properties id', applies_to_property_tags: 'properties tag' },
  authorized_agents: {
    placement_ids: 'placements id',
    placement_tags: 'placements tag',
    signal_ids: 'signals id',
    signal_tags: 'signals tag',
  },
};
/** Entries of an agent list that are compared: more than a crawl reads. */
const MAX_ENTRIES = 10_000;
/** Publishers times names that are compared in all selectors of a file: their product can be large in a small one. */
const MAX_STEPS = 500_000;
/** Names that are compared letter by letter in one file, so that guesses cost little. */
const MAX_GUESSES = 20_000;

/** Looks for names in the catalogue and in entries that nothing in the file has, and for entries that stand there twice. */
export function checkCatalogueNames(document: JsonObject, naming: Naming): void {
  const { publisher, listed, names, report } = naming;
  let guesses = 0;
  const entries = listedAt(compared(document.authorized_agents), '/authorized_agents');
  for (const [list, members] of Object.entries(NAMED_BY))
    for (const { value, pointer } of list === 'authorized_agents' ? entries : (listed[list] ?? []))
      for (const [member, where] of Object.entries(members)) {
        // beside another type they are not read, which is a finding of its own
        if (member.startsWith('signal_') && value.authorization_type !== member) continue;
        const unknown = elements(value[member]).find(
          (name) => typeof name === 'string' && !names[where]?.has(name),
        );
        if (unknown === undefined) continue;
        const known = names[where] ?? new Set();
        guesses += known.size;
        const didYouMean = guesses > MAX_GUESSES ? undefined : nearestName(asText(unknown), texts(known));
        report.add('name_unlisted', `${pointer}/${member}`, unknown, defined({ didYouMean }));
      }
  checkSelectors(document, entries, { publisher, report });
  checkTwice(entries, sayingOf, report);
  if (entries.length === 0) checkTwice(listedAt(compared(document.agents), '/agents'), () => '', report);
}

function compared(list: unknown): readonly unknown[] {
  return elements(list).slice(0, MAX_ENTRIES);
}

function* texts(names: ReadonlySet<unknown>): Generator<string> {
  for (const name of names) if (typeof name === 'string') yield name;
}

/** Selectors by id or tag of publishers whose properties the file lists; of others nobody knows here what they have. */
function checkSelectors(
  document: JsonObject,
  entries: readonly Listed[],
  { publisher: own, report }: Pick<Naming, 'publisher' | 'report'>,
): void {
  const known = new Set<string>();
  for (const property of elements(document.properties)) {
    if (!isObject(property)) continue;
    const { publisher_domain: named = own } = property;
    const publisher = hostOf(named);
    if (publisher === undefined) continue;
    known.add(publisher);
    known.add(`${publisher} property_ids ${asText(property.property_id)}`);
    for (const tag of elements(property.tags)) known.add(`${publisher} property_tags ${asText(tag)}`);
  }
  if (known.size === 0) return;
  const selectors = entries.flatMap(({ value, pointer }) =>
    listedAt(compared(value.publisher_properties), `${pointer}/publisher_properties`),
  );
  let steps = 0;
  for (const { value: selector, pointer } of selectors) {
    const member = SELECTED_BY.get(selector.selection_type);
    if (member === undefined) continue;
    const asked = elements(selector[member]);
    const publishers = [selector.publisher_domain, ...elements(selector.publisher_domains)];
    steps += publishers.length * (asked.length + 1);
    if (steps > MAX_STEPS) return;
    const unmatched = publishers
      .map(hostOf)
      .find(
        (publisher) =>
          known.has(`${publisher}`) &&
          !asked.some((name) => known.has(`${publisher} ${member} ${asText(name)}`)),
      );
    if (unmatched !== undefined) report.add('selector_unmatched', pointer, unmatched);
  }
}

function checkTwice(entries: readonly Listed[], saying: (entry: JsonObject) => string, report: Report): void {
  const known = new Map<string, string>();
  for (const { value, pointer } of entries) {
    const { url } = value;
    const parsed = typeof url === 'string' ? parseAgentUrl(url) : undefined;
    if (!parsed?.ok) continue;
    const key = `${parsed.url} ${saying(value)}`;
    const first = known.get(key);
    if (first === undefined) known.set(key, pointer);
    else report.add('entry_twice', pointer, first);
  }
}

/** What an entry authorises, whatever the order of its members and the words for people. */
function sayingOf({ url: _, authorized_for: __, ...entry }: JsonObject): string {
  return JSON.stringify(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The objects of a list; with a report, what is none is a finding. */
export function listedAt(list: unknown, pointer: string, report?: Report): Listed[] {
  return elements(list).flatMap((value, index) => {
    const here = `${pointer}/${index}`;
    if (isObject(value)) return { value, pointer: here };
    report?.add('wrong_type', here, value);
    return [];
  });
}

function hostOf(value: unknown): string | undefined {
  const parsed = typeof value === 'string' ? parseDomain(value) : undefined;
  return parsed?.ok ? parsed.domain : undefined;
}
