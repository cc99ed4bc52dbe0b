import { hobbyIndex, TOPICS } from '../../names.ts';

/** Publishers of one product at most: the rest are found with list_authorized_properties. */
const MAX_PUBLISHERS = 20;

/** What sites are about, by the end of their names. */
const TAGS_BY_ENDING: readonly (readonly [ending: string, tags: readonly string[]])[] = TOPICS.map(
  ({ title, tags }) => [title.toLowerCase().replaceAll(' ', '-'), tags],
);

/** The tags of a publisher's properties; none for one that the sandbox did not name. */
export function tagsOf(domain: string): readonly string[] {
  if (hobbyIndex(domain) >= 0) return ['hobby', domain.split('-')[0] as string];
  const label = domain.replace(/\.example$/, '').replace(/-\d+$/, '');
  return TAGS_BY_ENDING.find(([ending]) => label.endsWith(`-${ending}`))?.[1] ?? [];
}

/** The publishers by tag. */
export function byTag(domains: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const tagged = new Map<string, string[]>();
  for (const domain of domains) {
    for (const tag of tagsOf(domain)) {
      const others = tagged.get(tag);
      if (others === undefined) tagged.set(tag, [domain]);
      else others.push(domain);
    }
  }
  return tagged;
}

/** Those of the publishers that a product runs at: of its topics, or the first of all when none is. */
export function publishersFor(
  domains: readonly string[],
  tagged: ReadonlyMap<string, readonly string[]>,
  topics: readonly string[],
): readonly string[] {
  const fitting = new Set(topics.flatMap((topic) => (tagged.get(topic) ?? []).slice(0, MAX_PUBLISHERS)));
  return (fitting.size > 0 ? [...fitting] : domains).slice(0, MAX_PUBLISHERS);
}
