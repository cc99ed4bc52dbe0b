import type { PropertyType } from '@agent-registry/surface/agent-kit';
import type { Random } from './random.ts';

/** Towns that are on no map. */
// biome-ignore format: a list of names reads best as a block
const TOWNS = [
  'Wrenfield', 'Larkhaven', 'Osterby', 'Thistlemoor', 'Candlewick', 'Fennick', 'Marrowdale', 'Gulltown', 'Ploverton',
  'Saltersgate', 'Dunmarrow', 'Quillbury', 'Hazel Cross', 'Netherpool', 'Brambleford', 'Ironbeck', 'Swanlow',
  'Tarnwick', 'Elmsgate', 'Foxcombe', 'Greyharbour', 'Kettlesworth', 'Mossborough', 'Old Pellam', 'Ravelstone',
] as const;

interface Topic {
  readonly title: string;
  readonly type: PropertyType;
  readonly tags: readonly string[];
}

/** What a publisher of the sandbox publishes. */
export const TOPICS: readonly Topic[] = [
  { title: 'Courier', type: 'website', tags: ['news', 'local'] },
  { title: 'Evening Lamp', type: 'website', tags: ['news', 'evening'] },
  { title: 'Weather Desk', type: 'mobile_app', tags: ['weather', 'utility'] },
  { title: 'Rowing Weekly', type: 'website', tags: ['sport', 'rowing'] },
  { title: 'Kitchen Table', type: 'website', tags: ['food', 'recipes'] },
  { title: 'FM', type: 'radio', tags: ['music', 'local'] },
  { title: 'Night Bus', type: 'podcast', tags: ['podcast', 'stories'] },
  { title: 'Screens', type: 'dooh', tags: ['outdoor', 'transit'] },
  { title: 'Telly', type: 'ctv_app', tags: ['video', 'family'] },
  { title: 'Allotment Review', type: 'website', tags: ['garden', 'hobby'] },
];

export interface PublisherName {
  readonly domain: string;
  readonly name: string;
  readonly type: PropertyType;
  readonly tags: readonly string[];
}

/** `count` different publishers, each a town and a topic; beyond the 250 pairs the names get a number. */
export function publisherNames(random: Random, count: number): PublisherName[] {
  const pairs = TOWNS.flatMap((town) => TOPICS.map((topic) => ({ town, topic })));
  const order = random.shuffled(pairs);
  return Array.from({ length: count }, (_, index) => {
    const { town, topic } = order[index % order.length] as (typeof order)[number];
    const round = Math.floor(index / order.length);
    const name = `${town} ${topic.title}${round === 0 ? '' : ` ${round + 1}`}`;
    return { domain: `${slug(name)}.example`, name, type: topic.type, tags: topic.tags };
  });
}

const HOBBIES = [
  'beekeeping',
  'knots',
  'kites',
  'ferns',
  'clocks',
  'moths',
  'puddings',
  'canals',
  'chess',
  'owls',
] as const;

/** The n-th small site of the long tail, from 0. */
export function hobbySite(index: number): string {
  return `${HOBBIES[index % HOBBIES.length]}-${String(index).padStart(5, '0')}.example`;
}

/** The index of a small site; -1 for any other host. */
export function hobbyIndex(host: string): number {
  const index = Number(/^[a-z]+-(\d{5})\.example$/.exec(host)?.[1] ?? -1);
  return index >= 0 && hobbySite(index) === host ? index : -1;
}

function slug(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
