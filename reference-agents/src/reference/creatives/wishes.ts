/** How the words sound. */
export type Mood = 'plain' | 'cheerful' | 'calm' | 'serious' | 'urgent';

/** Where a colour goes. */
export type ColourPart = 'background' | 'text' | 'accent';

/** One thing that a message asks for. */
export type CreativeWish =
  | { readonly kind: 'length'; readonly length: 'short' | 'long' }
  | { readonly kind: 'mood'; readonly mood: Mood }
  | { readonly kind: 'colour'; readonly part: ColourPart; readonly name: string; readonly value: string }
  | { readonly kind: 'headline' | 'cta' | 'mention' | 'omit'; readonly text: string };

/** One clause of a message, and what it asks for; nothing, when it says what the creative is about or is not understood. */
export interface Clause {
  readonly text: string;
  readonly wishes: readonly CreativeWish[];
}

/** Clauses of a message that are looked at. */
const MAX_CLAUSES = 60;

// biome-ignore format: a list reads best as a block
const COLOURS: Readonly<Record<string, string>> = {
  white: '#ffffff', black: '#111111', grey: '#8d99ae', gray: '#8d99ae', red: '#c1121f', orange: '#f3722c', yellow: '#ffd60a',
  green: '#2d6a4f', turquoise: '#2ec4b6', blue: '#1d4e89', navy: '#14213d', purple: '#6a4c93', pink: '#ff70a6', brown: '#7f5539',
  gold: '#d4a017', cream: '#fdf6e3', beige: '#ede0d4',
};

const PARTS: Readonly<Record<string, ColourPart>> = {
  background: 'background',
  ground: 'background',
  backdrop: 'background',
  text: 'text',
  letters: 'text',
  button: 'accent',
  accent: 'accent',
};

const MOODS: readonly (readonly [Mood, RegExp])[] = [
  ['cheerful', /\b(cheerful|happier|happy|fun|funny|playful|lively|joyful|upbeat)\b/i],
  ['calm', /\b(calm|calmer|quiet|quieter|gentle|gentler|relaxed|soft|softer)\b/i],
  ['serious', /\b(serious|formal|sober|professional|businesslike)\b/i],
  ['urgent', /\b(urgent|urgency|pressing|last[ -]chance|hurry)\b/i],
  ['plain', /\b(plain|neutral|matter[ -]of[ -]fact)\b/i],
];

const SHORT = /\b(shorter|short|briefer|concise|crisper|less text|fewer words)\b/i;
const LONG = /\b(longer|more detail(?:s|ed)?|more text|more words)\b/i;
const POLITE = /^(?:(?:please|also|now|it|should|must|could|can|you|make it|make sure to) ){0,6}/i;
const OMIT =
  /^(?:without|remove|drop|leave out|(?:do not|don['’]t|no longer) (?:mention|say)) (?:the |that )?(.+)/i;
const MENTION =
  /^(?:mention(?:ing|s)?|say(?:ing|s)?|add(?:ing)?|include|including|highlight(?:ing|s)?|emphasi[sz]e|stress|point out) (?:that |the )?(.+)/i;
const CUT =
  /[.;!?\n]+|,? \b(?:and|but|then) (?=(?:make|mention|say|add|include|highlight|use|remove|drop|without|set|change|headline|button|cta)\b)|, ?(?=(?:make|mention|say|add|include|highlight|use|remove|drop|without|set|change|headline|button|cta)\b)|,? (?=(?:mention|say|highlight|includ)ing )|,? (?:with|and|using) (?:an? |the )?(?=(?:headline|title|button|cta|call to action)\b[^"]{0,40}")/gi;

/**
 * Reads a message in plain words: clause by clause, what it asks for. Quoted words after headline, title, button or
 * call to action are taken as they are. Takes time in proportion to the message.
 */
export function readMessage(message: string): readonly Clause[] {
  return clausesOf(message).map((text) => ({ text, wishes: wishesIn(text) }));
}

/** Sentences, and in them the parts that begin a wish of their own. Quoted text stays in one piece. */
function clausesOf(message: string): readonly string[] {
  const quotes: string[] = [];
  const masked = message.replaceAll(/["“]([^"“”]{1,500})["”]/g, (_all, quote: string) => {
    quotes.push(quote);
    return ` "${quotes.length - 1}" `;
  });
  const restore = (clause: string) =>
    clause.replaceAll(/"(\d+)"/g, (_all, place) => `"${quotes[Number(place)] ?? ''}"`);
  const clauses = masked.split(CUT).map((clause) => clause.replaceAll(/\s+/g, ' ').trim());
  return clauses
    .filter((clause) => clause !== '')
    .slice(0, MAX_CLAUSES)
    .map(restore);
}

/** What a part of a message asks for. */
export function wishesIn(clause: string): readonly CreativeWish[] {
  const literal = literalIn(clause);
  if (literal !== undefined) return [literal];
  const text = textIn(clause);
  if (text !== undefined) return [text];
  return [...coloursIn(clause), ...lengthsIn(clause), ...moodsIn(clause)];
}

/** `headline: "…"`, `a button that says "…"`. */
function literalIn(clause: string): CreativeWish | undefined {
  const found = /\b(headline|title|cta|call to action|button)\b[^":]{0,80}(?:"([^"]+)"|:\s*"?([^"]+))/i.exec(
    clause,
  );
  const text = (found?.[2] ?? found?.[3])?.trim();
  if (found === null || text === undefined || text === '') return undefined;
  return { kind: /headline|title/i.test(found[1] as string) ? 'headline' : 'cta', text };
}

function textIn(clause: string): CreativeWish | undefined {
  const plain = clause.replace(POLITE, '');
  const omit = OMIT.exec(plain)?.[1];
  if (omit !== undefined) return { kind: 'omit', text: unquoted(omit) };
  const mention = MENTION.exec(plain)?.[1];
  return mention === undefined ? undefined : { kind: 'mention', text: unquoted(mention) };
}

function unquoted(text: string): string {
  return text.replaceAll('"', '').trim();
}

/** `a blue background`, `background in #1d4e89`, `make it green`: the colour nearest to each part that is named. */
function coloursIn(clause: string): readonly CreativeWish[] {
  const words = [...clause.matchAll(/#[0-9a-f]{6}\b|[a-z]+/gi)].map(([word]) => word.toLowerCase());
  const named = words.flatMap((word, at) =>
    Object.hasOwn(PARTS, word) ? colourWish(PARTS[word] as ColourPart, near(words, at)) : [],
  );
  if (named.length > 0) return named;
  const whole = /^(?:please )?(?:now )?(?:make it|paint it|all)(?: all)?(?: in)? (\S+)$/i.exec(clause)?.[1];
  return whole === undefined ? [] : colourWish('background', [whole.toLowerCase()]);
}

/** Words around a place, the nearest first: three before it, four after it. */
function near(words: readonly string[], at: number): readonly string[] {
  return [...words.slice(Math.max(0, at - 3), at).reverse(), ...words.slice(at + 1, at + 5)];
}

function colourWish(part: ColourPart, words: readonly string[]): readonly CreativeWish[] {
  const name = words.find((word) => /^#[0-9a-f]{6}$/.test(word) || Object.hasOwn(COLOURS, word));
  return name === undefined ? [] : [{ kind: 'colour', part, name, value: COLOURS[name] ?? name }];
}

function lengthsIn(clause: string): readonly CreativeWish[] {
  if (SHORT.test(clause)) return [{ kind: 'length', length: 'short' }];
  return LONG.test(clause) ? [{ kind: 'length', length: 'long' }] : [];
}

function moodsIn(clause: string): readonly CreativeWish[] {
  const mood = MOODS.find(([, words]) => words.test(clause))?.[0];
  return mood === undefined ? [] : [{ kind: 'mood', mood }];
}
