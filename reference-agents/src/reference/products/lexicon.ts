import { singular } from './lexer.ts';
import { PLACES } from './places.ts';

/** What a word can be about. A product has values of each but the last, which is a wish about the answer itself. */
export type Facet =
  | 'channel'
  | 'country'
  | 'place'
  | 'topic'
  | 'audience'
  | 'daypart'
  | 'delivery'
  | 'making'
  | 'command';

export interface Meaning {
  readonly facet: Facet;
  readonly value: string;
}

/** Words for each value, by facet: several words are a phrase, singular, without accents. */
type Table = Readonly<Record<string, string>>;

const CHANNELS: Table = {
  display: 'display|banner|billboard banner|leaderboard|web page|website|online banner',
  native: 'native|advertorial|sponsored article|branded content',
  olv: 'video|online video|olv|pre roll|preroll|mid roll|instream|film|clip|moving picture',
  ctv: 'ctv|connected tv|connected television|streaming tv|television|tv|telly|living room',
  audio: 'audio|sound|listening|listen|spoken|streaming audio|jingle',
  radio: 'radio|fm|airwave|breakfast show',
  podcast: 'podcast|pod cast|host read|episode',
  dooh: 'dooh|out of home|outdoor|digital out of home|screen|billboard|poster|street furniture|ooh',
  email: 'email|e mail|newsletter|letter|mailing|inbox',
};

const TOPICS: Table = {
  news: 'news|current affair|journalism|headline|front page|politic',
  local: 'local|regional|neighbourhood|neighborhood|hometown|community|town|village',
  food: 'food|cooking|cook|recipe|kitchen|tea|coffee|cafe|bakery|restaurant|eating|drink|jam|grocery|beer|wine',
  sport: 'sport|football|rowing|running|cycling|bike|bicycle|fitness|kayak|sailing|swimming|match day',
  weather: 'weather|forecast|storm|rain|sun|tide',
  music: 'music|concert|band|song|festival|album|gig',
  stories: 'story|fiction|book|reading|novel|crime|literature|drama',
  garden: 'garden|gardening|allotment|plant|flower|vegetable|hobby|craft|quilt',
  travel: 'travel|holiday|vacation|ferry|trip|tourism|tourist|hotel|journey|weekend away|cruise',
  family: 'family|parenting|baby|school|toy|household',
  money: 'finance|financial|bank|insurance|saving|mortgage|pension|invest|investment|business',
  home: 'home|interior|furniture|diy|decorating|soap|cleaning|clock|candle|living',
  technology: 'technology|tech|gadget|software|phone|computer|app|digital life',
  health: 'health|healthy|wellbeing|wellness|medicine|pharmacy|sleep',
};

const AUDIENCES: Table = {
  commuters:
    'commuter|commuting|commute|train|bus|transit|station|platform|drive time|driver|on the way to work',
  parents: 'parent|mother|father|mum|dad|family|child|kid',
  students: 'student|young|youth|young people|young adult|gen z|millennial|university|teenager',
  seniors: 'senior|older|older people|retired|pensioner|over 60|grandparent',
  shoppers: 'shopper|shopping|consumer|buyer|customer|household',
  professionals: 'professional|b2b|decision maker|manager|office|worker|entrepreneur',
  homeowners: 'homeowner|home owner|house owner|tenant|mover',
  'food lovers': 'food lover|foodie|cook|tea drinker|coffee drinker|gourmet',
  'sports fans': 'sport fan|fan|athlete|runner|cyclist|rower|sailor',
  holidaymakers: 'holidaymaker|tourist|traveller|traveler|visitor|day tripper',
};

const DAYPARTS: Table = {
  morning: 'morning|breakfast|early|wake up|rush hour',
  midday: 'midday|lunch|noon|lunchtime',
  evening: 'evening|night|prime time|primetime|after work|late|dinner',
  weekend: 'weekend|saturday|sunday',
};

const DELIVERIES: Table = {
  guaranteed: 'guaranteed|guarantee|promised|reserved|premium|sold by hand',
  non_guaranteed: 'non guaranteed|nonguaranteed|programmatic|remnant|auction|best effort',
};

const MAKINGS: Table = {
  generative:
    'generative|generated|made for us|made for you|no creative yet|you make|you write|written for us',
};

const COMMANDS: Table = {
  cheaper:
    'cheap|cheaper|less expensive|lower price|lower cost|low cost|inexpensive|affordable|save money|better value',
  longer: 'longer|longer flight|extend|longer campaign|more time',
  shorter: 'shorter|shorter flight|briefer|shorter campaign|less time',
  reach:
    'more reach|bigger|larger|broader|more impression|more people|bigger reach|wider|biggest|scale|as many people',
  fewer: 'fewer product|fewer option|shortlist|short list|narrow down|narrower|less choice',
  double: 'double|twice',
  half: 'half|halve',
};

const COUNTRIES: Table = {
  NL: 'netherland|the netherland|dutch|holland|nl',
  BE: 'belgium|belgian|flander|flemish|wallonia|be market',
  IE: 'ireland|irish|eire',
  GB: 'united kingdom|uk|britain|great britain|british|england|english|scotland|wale',
  DE: 'germany|german|deutschland',
  FR: 'france|french',
  DK: 'denmark|danish',
  SE: 'sweden|swedish',
  NO: 'norway|norwegian',
  FI: 'finland|finnish',
  ES: 'spain|spanish',
  PT: 'portugal|portuguese',
  IT: 'italy|italian',
  AT: 'austria|austrian',
  CH: 'switzerland|swiss',
  PL: 'poland|polish',
  US: 'united state|usa|america|american',
  CA: 'canada|canadian',
  AU: 'australia|australian',
  JP: 'japan|japanese',
};

const PLACE_WORDS: Table = Object.fromEntries(PLACES.map(({ name, words }) => [name, words]));

/** Words of a phrase at most. */
export const LONGEST_PHRASE = 4;

/** What each phrase means; a word may mean several things. */
export const LEXICON: ReadonlyMap<string, readonly Meaning[]> = lexiconOf([
  ['channel', CHANNELS],
  ['topic', TOPICS],
  ['audience', AUDIENCES],
  ['daypart', DAYPARTS],
  ['delivery', DELIVERIES],
  ['making', MAKINGS],
  ['command', COMMANDS],
  ['country', COUNTRIES],
  ['place', PLACE_WORDS],
]);

function lexiconOf(tables: readonly (readonly [Facet, Table])[]): ReadonlyMap<string, readonly Meaning[]> {
  const lexicon = new Map<string, Meaning[]>();
  for (const [facet, table] of tables) {
    for (const [value, phrases] of Object.entries(table)) {
      for (const phrase of phrases.split('|')) {
        const key = phrase.split(' ').map(singular).join(' ');
        lexicon.set(key, [...(lexicon.get(key) ?? []), { facet, value }]);
      }
    }
  }
  return lexicon;
}
