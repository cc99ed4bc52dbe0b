/** What a product is made from; a seller's own version differs in where it runs and what it costs. */
export interface Blueprint {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly channels: readonly string[];
  readonly topics: readonly string[];
  readonly audiences: readonly string[];
  readonly dayparts: readonly string[];
  readonly formats: readonly string[];
  readonly models: readonly Model[];
  /** Euros for a thousand impressions, before the seller's own mark-up. */
  readonly cpm: number;
  /** Thousands of impressions a day, before the seller's size. */
  readonly daily: number;
  readonly promised: boolean;
  readonly generative: boolean;
  /** Kept to towns. */
  readonly regional: boolean;
}

/** Pricing models: what is paid for is thousands of impressions, clicks, completed plays, or a week of the whole. */
export type Model = 'cpm' | 'cpc' | 'cpcv' | 'flat_rate';

const BANNERS = ['display_300x250', 'display_728x90', 'display_970x250', 'display_320x50'];
const VIDEOS = ['video_16x9_15s', 'video_16x9_30s'];
const SOUNDS = ['audio_15s', 'audio_30s'];
const SCREENS = ['dooh_1080x1920', 'dooh_1920x1080'];

type Trait = 'promised' | 'generative' | 'regional';
type List = string;

/** Every seller has these, so that each channel is there. */
// biome-ignore format: one product a block
export const CORE: readonly Blueprint[] = [
  make('local-front-page', 'Front pages of local papers', 'Banners beside the news of the town', 'display', 'news|local', 'shoppers|homeowners', '', BANNERS, ['cpm', 'cpc'], 4.5, 60, 'regional'),
  make('evening-video', 'Evening video', 'Short films before clips that are watched after work, much of it cooking', 'olv|ctv', 'food|family|stories', 'parents|food lovers', 'evening', VIDEOS, ['cpm', 'cpcv'], 14, 25),
  make('breakfast-audio', 'Breakfast radio and podcasts', 'Spots between songs and talk at breakfast', 'audio|radio|podcast', 'music|news|local', 'commuters|professionals', 'morning', SOUNDS, ['cpm', 'cpcv'], 9.25, 40),
  make('written-for-you', 'Banners made for you', 'Say what is to be told, and the banners are made here from your brief', 'display', 'local|home|food', 'shoppers', '', ['display_300x250', 'display_728x90', 'display_html_300x250'], ['cpm', 'cpc'], 5.5, 35, 'generative'),
  make('family-telly', 'Family television', 'Spots on connected televisions while the family watches', 'ctv', 'family|stories|sport', 'parents|homeowners', 'evening|weekend', ['ctv_16x9_30s', 'video_16x9_30s'], ['cpm', 'flat_rate'], 24, 18, 'promised'),
  make('night-bus-podcast', 'Night Bus, a podcast of stories', 'Read by the host, between two stories', 'audio|podcast', 'stories|music', 'students|commuters', 'evening', SOUNDS, ['cpm', 'flat_rate'], 18, 8, 'promised'),
  make('harbour-screens', 'Screens at the harbour', 'Large screens on quays and platforms', 'dooh', 'travel|local', 'commuters|holidaymakers', '', SCREENS, ['cpm', 'flat_rate'], 6.75, 45, 'promised|regional'),
  make('morning-letter', 'The morning letter', 'A paragraph in the letter that readers open first', 'email', 'news|money', 'professionals|seniors', 'morning', ['newsletter_text'], ['cpm', 'cpc', 'flat_rate'], 11, 9, 'generative|promised'),
];

/** Of these a seller has those that suit what it says of itself, and some others. */
// biome-ignore format: one product a block
export const OTHERS: readonly Blueprint[] = [
  make('kitchen-table-native', 'At the kitchen table', 'Cards among recipes, in the style of the page', 'native', 'food|home|family', 'food lovers|parents', '', ['native_card'], ['cpm', 'cpc'], 7.5, 30, 'generative'),
  make('match-day-video', 'Match day clips', 'Before the goals of the weekend', 'olv', 'sport', 'sports fans|students', 'weekend', ['video_16x9_15s', 'video_9x16_15s'], ['cpm', 'cpcv'], 12, 22),
  make('rowing-weekly-display', 'Rowing Weekly', 'Banners for people who row, sail and paddle', 'display', 'sport|travel', 'sports fans|holidaymakers', '', BANNERS, ['cpm', 'cpc'], 5.25, 12),
  make('drive-time-radio', 'Drive time radio', 'Spots on the way home', 'audio|radio', 'music|local|news', 'commuters|professionals', 'evening', SOUNDS, ['cpm', 'flat_rate'], 8, 50, 'promised|regional'),
  make('weather-desk-app', 'The weather desk', 'Beside the forecast, in the app that is opened twice a day', 'display', 'weather|travel', 'commuters|homeowners', 'morning', ['display_320x50', 'display_300x250'], ['cpm', 'cpc'], 3.2, 90),
  make('allotment-review-native', 'The Allotment Review', 'Cards among beds and borders', 'native|display', 'garden|home', 'homeowners|seniors', 'weekend', ['native_card', 'display_300x250'], ['cpm', 'cpc'], 6, 14, 'generative'),
  make('transit-screens', 'Screens in trams and stations', 'Short silent films for people who wait', 'dooh', 'local|news', 'commuters|students', 'morning|evening', SCREENS, ['cpm'], 5.9, 70, 'regional'),
  make('ferry-deck-screens', 'Screens on ferries', 'On deck and in the queue for the tea', 'dooh', 'travel|food', 'holidaymakers', 'weekend', SCREENS, ['cpm', 'flat_rate'], 8.4, 15, 'promised|regional'),
  make('long-reads-display', 'Beside long reads', 'One large banner, and nothing else on the page', 'display', 'stories|news', 'professionals|seniors', 'evening', ['display_970x250', 'display_160x600'], ['cpm', 'flat_rate'], 9.8, 10, 'promised'),
  make('money-matters-podcast', 'Money matters', 'A podcast on savings and mortgages', 'audio|podcast', 'money|home', 'professionals|homeowners', 'morning', SOUNDS, ['cpm'], 21, 6),
  make('gadget-shelf-video', 'The gadget shelf', 'Before reviews of phones and other devices', 'olv', 'technology', 'students|professionals', '', VIDEOS, ['cpm', 'cpcv'], 13.5, 16),
  make('school-run-audio', 'The school run', 'Between songs, with parents at the wheel', 'audio|radio', 'family|music', 'parents', 'morning', SOUNDS, ['cpm'], 7.75, 28),
  make('festival-stream', 'Festival stream', 'Concerts of the summer on connected televisions', 'ctv|olv', 'music', 'students', 'evening|weekend', ['ctv_16x9_30s', 'video_16x9_15s'], ['cpm', 'cpcv'], 17, 12),
  make('good-night-newsletter', 'The good night letter', 'Short stories by mail, at ten in the evening', 'email', 'stories|health', 'seniors|parents', 'evening', ['newsletter_text'], ['cpm', 'cpc'], 9, 5, 'generative'),
  make('weekend-away-display', 'A weekend away', 'Banners beside ferries, hotels and walks', 'display', 'travel', 'holidaymakers', 'weekend', BANNERS, ['cpm', 'cpc'], 5.8, 20),
  make('quiet-hour-audio', 'The quiet hour', 'Music for sleep, with one spot an hour', 'audio', 'health|music', 'seniors|parents', 'evening', SOUNDS, ['cpm', 'cpcv'], 10.5, 11),
  make('run-of-the-coast', 'Run of the coast', 'Whatever is left on all pages, at the price that is bid', 'display', 'news|weather|sport|food', 'shoppers', '', BANNERS, ['cpm', 'cpc'], 1.8, 300),
  make('home-and-hearth-video', 'Home and hearth', 'Before films on furniture and repairs', 'olv', 'home|garden', 'homeowners', 'weekend', VIDEOS, ['cpm', 'cpcv'], 11.5, 17),
];

function make(
  id: string,
  name: string,
  description: string,
  channels: List,
  topics: List,
  audiences: List,
  dayparts: List,
  formats: readonly string[],
  models: readonly Model[],
  cpm: number,
  daily: number,
  traits: List = '',
): Blueprint {
  const has = (trait: Trait) => traits.split('|').includes(trait);
  return {
    id,
    name,
    description,
    channels: channels.split('|'),
    topics: topics.split('|'),
    audiences: audiences.split('|'),
    dayparts: dayparts === '' ? [] : dayparts.split('|'),
    formats,
    models,
    cpm,
    daily,
    promised: has('promised'),
    generative: has('generative'),
    regional: has('regional'),
  };
}
