import { trimEnd } from '@agent-registry/surface/agent-kit';
import type { BrandLook } from '../brand/find-brand.ts';
import { tokensOf } from '../text/relevance.ts';
import { type Clause, type CreativeWish, type Mood, readMessage, wishesIn } from './wishes.ts';

/** What a creative says and how it looks, before it is fitted into a format. */
export interface Design {
  readonly brandName: string;
  readonly tagline: string;
  /** What it is about, in a few words. */
  readonly subject: string;
  /** What it mentions, the newest first. */
  readonly points: readonly string[];
  readonly headline?: string;
  readonly cta?: string;
  readonly mood: Mood;
  readonly length: 'short' | 'normal' | 'long';
  readonly colours: {
    readonly background: string;
    readonly text: string;
    readonly accent: string;
  };
}

/** A design after a message, and what was done, in words of ours. */
export interface Redesign {
  readonly design: Design;
  readonly done: readonly string[];
  /** Clauses of the message that asked for nothing that is known. */
  readonly ignored: number;
}

const MAX_POINTS = 20;
const MAX_TEXT = 300;

/** Words with which a message begins that are not what it is about. */
const LEAD_IN =
  /^(?:please )?(?:(?:we|i) (?:need|want|would like) )?(?:(?:to )?(?:create|make|build|design|produce|write|generate|draw) )?(?:me |us )?(?:an? |some |the )?(?:[\w-]+ ){0,4}?(?:ads?|adverts?|advertisements?|banners?|creatives?|campaigns?|spots?|cards?|visuals?|pictures?) (?:for|about|on|to promote|promoting|announcing|that promotes?|that announces?) /i;
const IN_COLOUR =
  / (?:with|on|in) (?:[\w#-]+ ){0,3}(?:background|ground|backdrop|text|letters|button|accent)s?\b/gi;
const ARTICLE = /^(?:our|my|the|an?|their) /i;

/** The first design: what the message is about, in the colours and with the mood of the brand. */
export function designFor(message: string, look: BrandLook): Redesign {
  const clauses = readMessage(message);
  const about = clauses.find(({ wishes }) => !wishes.some((wish) => 'text' in wish));
  const others = clauses.filter((clause) => clause !== about && clause.wishes.length === 0);
  const { background, text, accent } = look.colors;
  const plain: Design = {
    brandName: look.name,
    tagline: look.tagline,
    subject: subjectOf(about) || look.tagline || look.name || 'Something new',
    points: others.slice(0, MAX_POINTS).map((clause) => tidy(clause.text)),
    mood: look.attributes.includes('cheerful') ? 'cheerful' : 'plain',
    length: 'normal',
    colours: { background, text, accent },
  };
  return { ...granted(plain, clauses), ignored: 0 };
}

/** The design with what the message asks for; everything else stays as it was. */
export function redesign(design: Design, message: string): Redesign {
  const clauses = readMessage(message);
  const ignored = clauses.filter(({ wishes }) => wishes.length === 0).length;
  return { ...granted(design, clauses), ignored };
}

function granted(design: Design, clauses: readonly Clause[]): Omit<Redesign, 'ignored'> {
  const wishes = clauses.flatMap((clause) => clause.wishes);
  return wishes.reduce<Omit<Redesign, 'ignored'>>(
    (before, wish) => {
      const after = grant(before.design, wish);
      return { design: after.design, done: [...before.done, after.done] };
    },
    { design, done: [] },
  );
}

function grant(design: Design, wish: CreativeWish): { readonly design: Design; readonly done: string } {
  switch (wish.kind) {
    case 'length':
      return { design: { ...design, length: wish.length }, done: `a ${wish.length} text` };
    case 'mood':
      return { design: { ...design, mood: wish.mood }, done: `a ${wish.mood} tone` };
    case 'colour':
      return { design: { ...design, colours: coloured(design, wish) }, done: `another ${wish.part} colour` };
    case 'headline':
    case 'cta':
      return { design: { ...design, [wish.kind]: tidy(wish.text) }, done: `the ${wish.kind} as given` };
    case 'mention':
      return { design: { ...design, points: withPoint(design, wish.text) }, done: 'one statement added' };
    case 'omit':
      return { design: without(design, wish.text), done: 'one statement removed' };
  }
}

function withPoint({ points }: Design, text: string): readonly string[] {
  const point = tidy(text);
  return [point, ...points.filter((each) => each !== point)].slice(0, MAX_POINTS);
}

/** Leaves out every point that shares a word with what is to go, and a headline that does. */
function without(design: Design, text: string): Design {
  const gone = new Set(tokensOf(text));
  const stays = (said: string) => !tokensOf(said).some((token) => gone.has(token));
  const { headline, ...rest } = design;
  const kept = headline !== undefined && stays(headline) ? { headline } : {};
  return { ...rest, ...kept, points: design.points.filter(stays) };
}

/** Another ground takes text along that can be read on it. */
function coloured({ colours }: Design, wish: Extract<CreativeWish, { kind: 'colour' }>): Design['colours'] {
  if (wish.part !== 'background') return { ...colours, [wish.part]: wish.value };
  return { ...colours, background: wish.value, text: readableOn(wish.value) };
}

/** Black or white, whichever stands out more (relative luminance as in WCAG 2, without its curve). */
export function readableOn(colour: string): string {
  const part = (at: number) => Number.parseInt(colour.slice(at, at + 2), 16);
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5) > 140 ? '#111111' : '#ffffff';
}

/** What a clause is about: without its lead-in, and without what it asks of colours and tone. */
function subjectOf(clause: Clause | undefined): string {
  if (clause === undefined) return '';
  const about = clause.text.slice(0, 2_000).replace(LEAD_IN, '').replace(ARTICLE, '').replace(IN_COLOUR, '');
  const [first = '', ...more] = about.split(/, */);
  return tidy([first, ...more.filter((part) => wishesIn(part).length === 0)].join(', '));
}

/** One line that begins with a capital. */
function tidy(text: string): string {
  const words = text.slice(0, MAX_TEXT).replaceAll(/\s+/g, ' ').trim();
  const line = trimEnd(words, ',:–-').toWellFormed();
  return line.slice(0, 1).toUpperCase() + line.slice(1);
}
