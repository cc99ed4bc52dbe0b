import type { PricingOption } from '@agent-registry/surface/agent-kit';

/** A right as it stands in the table. */
export interface SandboxRight {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly type: 'talent' | 'voice' | 'music' | 'artwork' | 'character';
  readonly uses: readonly string[];
  /** ISO 3166-1 alpha-2 codes. */
  readonly countries: readonly string[];
  readonly pricing: readonly PricingOption[];
  /** Domains of brands that it is kept from. */
  readonly notFor: readonly string[];
  /** The one brand that has it to itself for now, by domain. */
  readonly heldBy?: string;
  /** True when no two brands may have it at the same time. */
  readonly exclusive: boolean;
  /** True when its holder is asked each time. */
  readonly asked: boolean;
  /** The longest that it is licensed at once, days. */
  readonly maxDays: number;
}

const COAST = ['NL', 'BE', 'IE'];
const NORTH = ['NL', 'BE', 'IE', 'GB', 'SE', 'DE'];

/** Faces and voices. */
// biome-ignore format: one right a line
export const LIKENESSES: readonly SandboxRight[] = [
  right('voice-of-the-harbour', 'Voice of the harbour', 'The low voice that reads the shipping forecast', 'voice', ['audio', 'video'], COAST, 900),
  right('voice-young-and-quick', 'Young and quick', 'A bright voice for short spots and podcasts', 'voice', ['audio', 'video'], NORTH, 350),
  right('voice-grandmother', 'Grandmother by the stove', 'An old voice that tells stories, warm and slow', 'voice', ['audio'], COAST, 500, { asked: true }),
  right('face-of-the-ferryman', 'Face of the ferryman', 'A weathered face on a boat, known from the crossing', 'talent', ['display', 'print', 'dooh'], COAST, 1_200, { exclusive: true }),
  right('face-lighthouse-keeper', 'The lighthouse keeper', 'A keeper and her lamp, at night and in storms', 'talent', ['display', 'video', 'dooh'], NORTH, 1_500, { asked: true }),
  right('face-bicycle-champion', 'The bicycle champion', 'Winner of the coastal race, on and off the bicycle', 'talent', ['display', 'video', 'social'], NORTH, 4_000, { exclusive: true, heldBy: 'penny-bicycles.example' }),
  right('character-captain-crab', 'Captain Crab', 'A drawn crab in a cap whom children know', 'character', ['display', 'video', 'print'], NORTH, 2_200, { notFor: ['kettle-stoves.example'] }),
];

/** Pictures, maps and music, long established. */
// biome-ignore format: one right a line
export const WORKS: readonly SandboxRight[] = [
  right('engraving-north-pier', 'North pier, engraving', 'The pier before the storm, in fine lines', 'artwork', ['print', 'display'], NORTH, 180),
  right('map-of-the-estuary', 'Map of the estuary', 'A hand-coloured map with soundings and sea monsters', 'artwork', ['print', 'display', 'dooh'], NORTH, 260),
  right('photograph-fog-bell', 'The fog bell', 'A photograph of a bell, a hand and nothing else', 'artwork', ['print', 'display', 'video'], COAST, 320, { exclusive: true }),
  right('song-of-the-nine-crossings', 'Song of the nine crossings', 'A ferry song for choir and accordion', 'music', ['audio', 'video'], COAST, 750, { asked: true }),
  right('waltz-for-clocks', 'Waltz for clocks', 'A waltz played on clocks, precise and funny', 'music', ['audio', 'video', 'social'], NORTH, 600),
  right('poster-garden-show', 'Poster of the garden show', 'A poster with beans and a very large sun', 'artwork', ['print', 'dooh'], NORTH, 210, { notFor: ['gullwing-coats.example'] }),
];

type Terms = Partial<Pick<SandboxRight, 'notFor' | 'heldBy' | 'exclusive' | 'asked'>>;

function right(
  id: string,
  name: string,
  description: string,
  type: SandboxRight['type'],
  uses: readonly string[],
  countries: readonly string[],
  monthly: number,
  terms: Terms = {},
): SandboxRight {
  const pricing = [
    { pricing_option_id: `${id}-month`, model: 'flat_monthly', price: monthly, currency: 'EUR' },
    { pricing_option_id: `${id}-cpm`, model: 'cpm', price: Math.round(monthly / 2) / 100, currency: 'EUR' },
  ];
  const plain = { notFor: [], exclusive: false, asked: false, maxDays: 366 };
  return { id, name, description, type, uses, countries, pricing, ...plain, ...terms };
}
