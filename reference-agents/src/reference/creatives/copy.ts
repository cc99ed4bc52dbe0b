import { trimEnd } from '@agent-registry/surface/agent-kit';
import type { Design } from './design.ts';
import type { Mood } from './wishes.ts';

/** The words of a creative, not yet fitted. */
export interface Copy {
  readonly headline: string;
  readonly body: string;
  readonly cta: string;
}

const HEADLINES: Readonly<Record<Mood, (subject: string) => string>> = {
  plain: (subject) => subject,
  serious: (subject) => subject,
  cheerful: (subject) => `Hooray: ${subject}`,
  calm: (subject) => `${subject}, in your own time`,
  urgent: (subject) => `Only now: ${subject}`,
};

const CLOSINGS: Readonly<Record<Mood, string>> = {
  plain: '',
  serious: '',
  cheerful: 'Come along, it will be lovely.',
  calm: 'There is no hurry.',
  urgent: 'It ends soon.',
};

/** What a reader is asked to do, by a word that stands in the subject or the points. */
const CALLS: readonly (readonly [RegExp, string])[] = [
  [/\b(subscri\w+|newsletter)\b/i, 'Subscribe'],
  [/\b(book|tickets?|crossings?|ferr(?:y|ies)|rooms?|tables?|stay|hire)\b/i, 'Book now'],
  [/\b(order|deliver(?:y|s|ed|ies)?|shop|sale|buy|prices?|discount)\b/i, 'Order now'],
  [/\b(podcast|listen|radio|episode)\b/i, 'Listen'],
  [/\b(download|app)\b/i, 'Download'],
  [/\b(visit|open|festival|market|exhibition|museum)\b/i, 'Come and see'],
];

/** What a design says. */
export function copyOf(design: Design): Copy {
  const { subject, mood, length } = design;
  const headline = design.headline ?? (length === 'short' ? subject : HEADLINES[mood](subject));
  return { headline, body: bodyOf(design), cta: design.cta ?? callOf(design) };
}

function bodyOf({ points, tagline, mood, length, brandName }: Design): string {
  const said = points.slice(0, { short: 1, normal: 3, long: 20 }[length]).map(sentence);
  const closing = length === 'short' ? '' : CLOSINGS[mood];
  const line = tagline === '' ? brandName : tagline;
  const own = length === 'long' || said.length === 0 ? sentence(line) : '';
  return [...said, own, closing].filter((part) => part !== '').join(' ');
}

function callOf({ subject, points }: Design): string {
  const words = [subject, ...points].join(' ');
  return CALLS.find(([pattern]) => pattern.test(words))?.[1] ?? 'Find out more';
}

function sentence(text: string): string {
  return text === '' || /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** The text in at most `most` characters: whole words, and an ellipsis where something is left out. */
export function fitted(text: string, most: number): string {
  const chars = [...text];
  if (chars.length <= most) return text;
  const cut = chars.slice(0, most - 1).join('');
  const words = cut.slice(0, Math.max(0, cut.lastIndexOf(' ')));
  return `${trimEnd(words.trim() === '' ? cut : words, ' \t\r\n,;:.–-')}…`;
}

/** The text in lines of at most `width` characters, at most `count` of them. */
export function copyLines(text: string, width: number, count: number): readonly string[] {
  const lines: string[] = [];
  for (const word of fitted(text, width * count).split(' ')) {
    const last = lines.at(-1);
    const joined = last === undefined ? word : `${last} ${word}`;
    if (last !== undefined && joined.length <= width) lines[lines.length - 1] = joined;
    else lines.push(fitted(word, width));
  }
  if (lines.length <= count) return lines;
  return [...lines.slice(0, count - 1), fitted(`${lines[count - 1]} ${lines[count]}`, width)];
}
