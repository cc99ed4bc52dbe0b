/** How a brand of the sandbox looks and speaks. */
export interface BrandIdentity {
  readonly id: string;
  /** Domains on which it is found; the first is its own, or its house's. */
  readonly domains: readonly string[];
  readonly house?: { readonly domain: string; readonly name: string };
  /** By language. */
  readonly names: Readonly<Record<string, string>>;
  readonly description: string;
  readonly colors: BrandColors;
  readonly voice: string;
  readonly attributes: readonly string[];
  readonly dos: readonly string[];
  readonly donts: readonly string[];
  readonly photography: string;
  readonly typography: string;
  readonly tagline: string;
}

export interface BrandColors {
  readonly primary: string;
  readonly secondary: string;
  readonly accent: string;
  readonly background: string;
  readonly text: string;
}

const MARLOWE = { domain: 'marlowe-house.example', name: 'Marlowe & Daughters' };
const TIDEWATER = { domain: 'tidewater-group.example', name: 'Tidewater Group' };
const ORRERY = { domain: 'orrery-holdings.example', name: 'Orrery Holdings' };
const KETTLE = { domain: 'copperkettle.example', name: 'Copperkettle' };
const GULLWING = { domain: 'gullwing-brands.example', name: 'Gullwing Brands' };

/** What the members of a house have in common. */
const HOUSE_STYLE = {
  marlowe: style(
    'warm and a little old-fashioned',
    ['warm', 'patient', 'domestic'],
    'daylight from one window',
    'a serif with soft ends',
  ),
  tidewater: style(
    'brisk and cheerful, like a crew that likes its work',
    ['cheerful', 'brisk', 'open'],
    'wide horizons, people in motion',
    'a broad sans serif',
  ),
  orrery: style(
    'exact, with a dry sense of humour',
    ['precise', 'dry', 'curious'],
    'close views of mechanisms',
    'a narrow serif, small capitals for names',
  ),
  kettle: style(
    'hearty and plain',
    ['hearty', 'plain', 'generous'],
    'steam, wood, hands',
    'a heavy slab serif',
  ),
  gullwing: style(
    'calm and sure of itself',
    ['calm', 'sturdy', 'spare'],
    'grey weather, one figure',
    'a light sans serif',
  ),
  small: style(
    'friendly, as across a counter',
    ['friendly', 'local', 'modest'],
    'the thing itself on a plain ground',
    'whatever the sign painter had',
  ),
} as const;

/** Every brand whose identity is kept, houses first. Invented, like all of the sandbox. */
// biome-ignore format: one brand a block of three lines
export const BRAND_TABLE: readonly BrandIdentity[] = [
  brand('marlowe', [MARLOWE.domain], { en: MARLOWE.name }, 'Soap, tea and matches since the grandmother', ['#5b2a3c', '#d9a441', '#2f6f62', '#fbf4ea', '#2a1a1f'], 'Made at home, sent abroad', 'marlowe', MARLOWE),
  brand('tidewater', [TIDEWATER.domain], { en: TIDEWATER.name }, 'Ferries, kayaks and everything between two shores', ['#0f4c75', '#3fb8af', '#ff9f1c', '#f2fbfd', '#0b2239'], 'The other side is closer than you think', 'tidewater', TIDEWATER),
  brand('orrery', [ORRERY.domain], { en: ORRERY.name }, 'Clocks and maps for people who like to know', ['#22223b', '#9a8c98', '#c9ada7', '#f7f5f2', '#1a1a2a'], 'Everything in its turn', 'orrery', ORRERY),
  brand('copperkettle', [KETTLE.domain, 'old-copperkettle.example'], { en: KETTLE.name }, 'Stoves and cocoa for long winters', ['#8c4a2f', '#f0c987', '#3a5a40', '#fff8ef', '#2b1a12'], 'Put the kettle on', 'kettle', KETTLE),
  brand('gullwing', [GULLWING.domain, 'gullwing.example'], { en: GULLWING.name }, 'Coats for weather that means it', ['#37474f', '#90a4ae', '#ffca28', '#f5f7f8', '#1c2529'], 'Let it rain', 'gullwing', GULLWING),
  brand('marlowe-soap', ['marlowe-soap.example'], { en: 'Marlowe Soap', nl: 'Marlowe Zeep' }, 'Soap with lavender, stone and salt', ['#6a4c93', '#cdb4db', '#2f6f62', '#faf7fd', '#2b1d3a'], 'Clean as a shore', 'marlowe', MARLOWE),
  brand('marlowe-tea', ['marlowe-tea.example'], { en: 'Marlowe Tea', ja: 'マーロウ茶' }, 'Black tea, blended for hard water', ['#7b2d26', '#f0c987', '#3a5a40', '#fdf6ec', '#2a1512'], 'Sit down first', 'marlowe', MARLOWE),
  brand('marlowe-ghost', ['marlowe-ghost.example'], { en: 'Marlowe Ghost' }, 'Candles that burn without scent', ['#495057', '#dee2e6', '#845ef7', '#ffffff', '#212529'], 'Hardly there', 'marlowe', MARLOWE),
  brand('marlowe-matches', [MARLOWE.domain], { en: 'Marlowe Matches', nl: 'Marlowe Lucifers' }, 'Matches that light in the wind', ['#c1121f', '#fdf0d5', '#003049', '#fffaf0', '#2b0a0c'], 'One is enough', 'marlowe', MARLOWE),
  brand('tidewater-ferries', ['tidewater-ferries.example'], { en: 'Tidewater Ferries' }, 'Nine crossings, every day of the year', ['#0f4c75', '#bbe1fa', '#ff9f1c', '#f4fbff', '#0b2239'], 'Be there by breakfast', 'tidewater', TIDEWATER),
  brand('tidewater-kayaks', ['tidewater-kayaks.example'], { en: 'Tidewater Kayaks' }, 'Kayaks for estuaries and calm bays', ['#00798c', '#edae49', '#d1495b', '#f2fafa', '#07282d'], 'Your own small ferry', 'tidewater', TIDEWATER),
  brand('orrery-clocks', ['orrery-clocks.example'], { en: 'Orrery Clocks' }, 'Clocks that can be mended', ['#22223b', '#c9a227', '#9a8c98', '#f8f6f1', '#17172b'], 'Wound once a week', 'orrery', ORRERY),
  brand('orrery-maps', [ORRERY.domain], { en: 'Orrery Maps' }, 'Walking maps on paper that survives rain', ['#386641', '#a7c957', '#bc4749', '#f6f8f0', '#16270f'], 'Folded right the first time', 'orrery', ORRERY),
  brand('kettle-stoves', [KETTLE.domain], { en: 'Kettle Stoves', de: 'Kessel-Öfen' }, 'Wood stoves, built to be repaired', ['#8c4a2f', '#d4a373', '#3a5a40', '#fff8ef', '#2b1a12'], 'Warm for a lifetime', 'kettle', KETTLE),
  brand('kettle-cocoa', [KETTLE.domain], { en: 'Kettle Cocoa', fr: 'Cacao de la bouilloire' }, 'Cocoa with a pinch of salt', ['#5c3d2e', '#e0c097', '#b85c38', '#fdf5ec', '#2d1b12'], 'Stir, then sit', 'kettle', KETTLE),
  brand('gullwing-coats', [GULLWING.domain], { en: 'Gullwing Coats' }, 'Raincoats with deep pockets', ['#37474f', '#ffca28', '#90a4ae', '#f5f7f8', '#1c2529'], 'Let it rain', 'gullwing', GULLWING),
  brand('lonely-lighthouse', ['lonely-lighthouse.example'], { en: 'Lonely Lighthouse', ga: 'Teach Solais' }, 'One room, one lamp, the whole sea', ['#1d3557', '#f1faee', '#e63946', '#f8fbfc', '#101d30'], 'No neighbours', 'small'),
  brand('bramble-jam', ['bramble-jam.example'], { en: 'Bramble Jam', sv: 'Björnbärssylt' }, 'Jam from the hedges behind the school', ['#5f0f40', '#fb8b24', '#0f4c5c', '#fff7f9', '#2b061d'], 'Picked by hand', 'small'),
  brand('penny-bicycles', ['penny-bicycles.example'], { en: 'Penny Bicycles' }, 'Bicycles for hire by the hour', ['#2a9d8f', '#e9c46a', '#e76f51', '#f5fbf9', '#12302c'], 'Two wheels, one coin', 'small'),
  brand('candle-and-daughter', ['candle-and-daughter.example'], { en: 'Candle & Daughter' }, 'Candles poured while you wait', ['#b08968', '#ede0d4', '#7f5539', '#fffaf5', '#33231a'], 'Lit by family', 'small'),
  brand('quaint-quilts', ['quaint-quilts.example'], { en: 'Quaint Quilts' }, 'Quilts from shirts that were loved', ['#9d4edd', '#ffafcc', '#3a86ff', '#fdf8ff', '#2a1140'], 'Every patch a story', 'small'),
];

type Palette = readonly [
  primary: string,
  secondary: string,
  accent: string,
  background: string,
  text: string,
];

function brand(
  id: string,
  domains: readonly string[],
  names: Readonly<Record<string, string>>,
  description: string,
  [primary, secondary, accent, background, text]: Palette,
  tagline: string,
  styleName: keyof typeof HOUSE_STYLE,
  house?: BrandIdentity['house'],
): BrandIdentity {
  const colors = { primary, secondary, accent, background, text };
  return {
    id,
    domains,
    names,
    description,
    colors,
    tagline,
    ...HOUSE_STYLE[styleName],
    ...(house && { house }),
  };
}

function style(voice: string, attributes: readonly string[], photography: string, typography: string) {
  const dos = ['use short sentences', 'name the thing before its virtue', 'one colour at a time'];
  const donts = ['no exclamation marks', 'no comparisons with others', 'nothing over the name'];
  return { voice, attributes, photography, typography, dos, donts };
}
