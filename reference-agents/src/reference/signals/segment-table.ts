import type { PricingOption } from '@agent-registry/surface/agent-kit';

/** Kinds of audiences that the segments of the sandbox are made of. */
export const AUDIENCE_TYPES = ['demographic', 'in_market', 'contextual', 'interest', 'geographic'] as const;
export type AudienceType = (typeof AUDIENCE_TYPES)[number];

/** A segment as it stands in the table. */
export interface Segment {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly audienceType: AudienceType;
  /** Whose data it is. */
  readonly signalType: 'marketplace' | 'owned' | 'custom';
  readonly dataProvider: string;
  /** Share of the reachable audience, 0 to 100. */
  readonly coverage: number;
  /** ISO 3166-1 alpha-2 codes. */
  readonly countries: readonly string[];
  readonly pricing: readonly PricingOption[];
  /** Names of the platforms where it can be used; agents take every segment. */
  readonly platforms: readonly string[];
  /** Other words by which it is found. */
  readonly words: string;
}

export const PLATFORMS = [
  'northlight-dsp.example',
  'lanternads.example',
  'tidewave-ctv.example',
  'harbour-audio.example',
] as const;

const [NORTHLIGHT, LANTERN, TIDEWAVE, HARBOUR] = PLATFORMS;
const WEB: readonly string[] = [NORTHLIGHT, LANTERN];
const SCREEN: readonly string[] = [NORTHLIGHT, LANTERN, TIDEWAVE];
const SOUND: readonly string[] = [NORTHLIGHT, HARBOUR];
const EVERYWHERE: readonly string[] = PLATFORMS;

const COAST = ['NL', 'BE', 'IE'];
const NORTH = ['NL', 'BE', 'IE', 'GB', 'SE', 'DE'];

const PANEL = 'Ploverton Panel';
const TILLS = 'Till Roll Data';
const READERS = 'Coastal Readers';
const AIR = 'Airwave Diary';
const OWN = 'own';

/** Every segment of the sandbox. The data are invented, and so are their providers. */
// biome-ignore format: one segment a line
export const SEGMENTS: readonly Segment[] = [
  segment('ferry-regulars', 'Ferry regulars', 'Crosses the bay by ferry at least once a month', 'interest', PANEL, 6.5, COAST, 1.8, SCREEN, 'boat passenger commute island travel crossing sea'),
  segment('island-weekenders', 'Island weekenders', 'Looks for a room or a crossing for the weekend', 'in_market', PANEL, 4.2, COAST, 2.4, SCREEN, 'holiday travel trip hotel short break tourist ferry'),
  segment('cyclists-daily', 'Everyday cyclists', 'Rides to work on most days', 'interest', PANEL, 18.0, NORTH, 1.2, WEB, 'bicycle bike commuter cycling city'),
  segment('bicycle-shoppers', 'Bicycle shoppers', 'Has compared bicycles in the last month', 'in_market', TILLS, 3.1, NORTH, 2.9, WEB, 'bike cycling buy purchase electric'),
  segment('tea-drinkers', 'Tea drinkers', 'Buys loose tea', 'interest', TILLS, 12.4, NORTH, 1.4, WEB, 'hot drinks beverage grocery kitchen breakfast'),
  segment('cocoa-winter', 'Cocoa in winter', 'Buys cocoa when it freezes', 'in_market', TILLS, 5.8, NORTH, 1.6, WEB, 'hot chocolate drinks sweets family grocery'),
  segment('home-cooks', 'Home cooks', 'Reads recipes three times a week', 'contextual', READERS, 21.0, NORTH, 0.9, EVERYWHERE, 'cooking kitchen food recipes dinner jam baking'),
  segment('jam-makers', 'Jam makers', 'Reads about preserving fruit', 'contextual', READERS, 3.4, COAST, 1.1, WEB, 'preserve fruit cooking garden food hobby'),
  segment('gardeners', 'Gardeners with a shed', 'Reads the allotment pages and owns tools', 'interest', READERS, 14.2, NORTH, 1.3, WEB, 'garden allotment plants vegetables outdoor home'),
  segment('stove-buyers', 'Stove buyers', 'Has asked for a quote for a wood stove', 'in_market', TILLS, 1.2, NORTH, 4.5, WEB, 'heating home fire winter house renovation'),
  segment('home-movers', 'Home movers', 'Has moved or will move within three months', 'in_market', PANEL, 2.6, NORTH, 3.8, SCREEN, 'house moving mortgage furniture renovation new home'),
  segment('young-parents', 'Young parents', 'Has a child under six at home', 'demographic', PANEL, 9.7, NORTH, 2.1, EVERYWHERE, 'family children baby mother father toddler kids'),
  segment('teen-households', 'Households with teenagers', 'Has a child of 13 to 17 at home', 'demographic', PANEL, 8.1, NORTH, 1.9, EVERYWHERE, 'family children school youth'),
  segment('students', 'Students', 'Studies, and lives away from home', 'demographic', PANEL, 7.3, NORTH, 1.5, EVERYWHERE, 'university college young adults education 18 24'),
  segment('silver-readers', 'Readers over 60', 'Is 60 or older and reads a paper every day', 'demographic', READERS, 19.5, COAST, 1.0, WEB, 'senior retired older pension news elderly'),
  segment('night-shift', 'Night shift', 'Is awake and at work after midnight', 'demographic', AIR, 3.9, COAST, 1.7, SOUND, 'nurse driver worker late radio evening'),
  segment('breakfast-radio', 'Breakfast listeners', 'Hears the radio between six and nine', 'contextual', AIR, 26.0, COAST, 0.8, SOUND, 'morning audio radio commuter news'),
  segment('podcast-storytime', 'Story podcast listeners', 'Hears a story podcast every week', 'contextual', AIR, 11.3, NORTH, 1.2, SOUND, 'audio podcast stories fiction culture'),
  segment('local-news', 'Readers of local news', 'Reads the paper of the own town', 'contextual', READERS, 33.0, COAST, 0.7, WEB, 'newspaper town community journalism courier'),
  segment('weather-watchers', 'Weather watchers', 'Looks at the weather more than once a day', 'contextual', READERS, 29.0, NORTH, 0.6, EVERYWHERE, 'rain forecast storm sailing app outdoor'),
  segment('rain-coats', 'Raincoat shoppers', 'Has looked for rainwear this season', 'in_market', TILLS, 2.2, NORTH, 2.7, WEB, 'coat jacket clothes fashion outdoor waterproof'),
  segment('kayakers', 'Kayakers', 'Owns or hires a kayak', 'interest', PANEL, 1.6, COAST, 2.3, SCREEN, 'paddle boat water sport outdoor estuary rowing'),
  segment('rowing-fans', 'Rowing fans', 'Follows the rowing clubs', 'interest', READERS, 2.8, COAST, 1.4, SCREEN, 'sport rowers regatta boat race water'),
  segment('clock-collectors', 'Clock collectors', 'Collects or mends clocks', 'interest', PANEL, 0.6, NORTH, 5.2, WEB, 'watches antiques repair hobby mechanical'),
  segment('hikers-paper-map', 'Hikers with a paper map', 'Walks more than ten kilometres on a Sunday', 'interest', PANEL, 5.1, NORTH, 1.6, WEB, 'walking hiking outdoor nature trail map weekend'),
  segment('lighthouse-county', 'Lighthouse county', 'Lives within sight of a lighthouse', 'geographic', OWN, 4.4, COAST, 0.9, EVERYWHERE, 'coast coastal shore residents local sea region'),
  segment('harbour-towns', 'Harbour towns', 'Lives in a town with a working harbour', 'geographic', OWN, 13.8, COAST, 0.8, EVERYWHERE, 'coast port residents local city fishing'),
  segment('hill-villages', 'Hill villages', 'Lives above the mist', 'geographic', OWN, 6.9, NORTH, 0.8, EVERYWHERE, 'rural countryside residents village hills region'),
  segment('small-firms', 'Owners of small firms', 'Runs a firm with fewer than ten people', 'demographic', TILLS, 5.5, NORTH, 3.2, WEB, 'business entrepreneur shop self employed b2b company'),
  segment('gift-givers', 'Gift givers', 'Has bought a present for somebody this month', 'in_market', TILLS, 6.1, NORTH, 2.2, EVERYWHERE, 'gift present christmas birthday candles shopping soap'),
  segment('bargain-hunters', 'Bargain hunters', 'Opens leaflets before all else', 'in_market', TILLS, 17.7, NORTH, 1.1, WEB, 'discount price sale coupon grocery cheap shopping'),
  segment('free-sample', 'Readers of the free sheet', 'A sample of everybody, free of charge', 'contextual', OWN, 40.0, NORTH, 0, WEB, 'test sample general audience free everybody'),
];

function segment(
  id: string,
  name: string,
  description: string,
  audienceType: AudienceType,
  dataProvider: string,
  coverage: number,
  countries: readonly string[],
  cpm: number,
  platforms: readonly string[],
  words: string,
): Segment {
  const signalType = dataProvider === OWN ? 'owned' : 'marketplace';
  const pricing = pricesOf(id, cpm);
  return {
    id,
    name,
    description,
    audienceType,
    signalType,
    dataProvider,
    coverage,
    countries,
    pricing,
    platforms,
    words,
  };
}

/** By the thousand, and for whoever uses much of it by the month; nothing for what is free. */
function pricesOf(id: string, cpm: number): readonly PricingOption[] {
  const perThousand = { pricing_option_id: `${id}-cpm`, model: 'cpm', price: cpm, currency: 'EUR' };
  if (cpm === 0) return [perThousand];
  const monthly = Math.round(cpm * 400);
  return [
    perThousand,
    { pricing_option_id: `${id}-month`, model: 'flat_monthly', price: monthly, currency: 'EUR' },
  ];
}
