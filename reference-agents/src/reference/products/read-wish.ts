import { type Piece, piecesOf } from './lexer.ts';
import { LEXICON, LONGEST_PHRASE, type Meaning } from './lexicon.ts';
import { readNumber } from './read-amounts.ts';
import type { BriefWish, Mode, WishTerm } from './wish.ts';

const MODES: ReadonlyMap<string, Mode> = new Map<string, Mode>([
  ...words('no not without except excluding exclude never avoid omit drop remove skip', 'not'),
  ...words('only just exclusively solely', 'only'),
  ...words('more mostly mainly prefer preferably rather especially extra add', 'more'),
  ...words('less fewer reduce', 'less'),
]);

/** After one of these something else begins: `no radio in Ghent` is not against Ghent. */
const PREPOSITIONS = new Set([
  'in',
  'for',
  'at',
  'with',
  'to',
  'during',
  'on',
  'about',
  'around',
  'near',
  'from',
]);
const CLAUSE_WORDS = new Set(['and', 'but', 'plus', 'also', 'or', 'then', 'however']);

/** Words that ask for nothing. */
const FILLERS = new Set(
  'a an the i we you it they this that these those is are be was will would should could can may please thank want need like looking look find show give get me us my our your of as so if all any some too very much again instead now there have has do make let new one product option campaign advertise advertising brand ad launch launching'.split(
    ' ',
  ),
);

/** Words before a number that are looked at. */
const NEAR = 4;

/** Reads what a text in plain words asks for. Takes time in proportion to the text; knows the words of `LEXICON`. */
export function readWish(text: string): BriefWish {
  const pieces = piecesOf(text);
  const reading = startReading();
  for (let index = 0; index < pieces.length; ) index += readPiece(pieces, index, reading);
  endClause(reading);
  const { mentions, amounts, strangeClauses } = reading;
  return { ...amounts, mentions: [...mentions.values()], strangeClauses };
}

interface Reading {
  readonly mentions: Map<string, WishTerm>;
  amounts: Pick<BriefWish, 'budget' | 'maxPrice' | 'days' | 'limit'>;
  strangeClauses: number;
  mode: Mode;
  /** The piece before set the mode. */
  modeIsFresh: boolean;
  /** What was named by the piece before, for `Ghent only`. */
  lastNamed: readonly Meaning[];
  before: string[];
  understood: boolean;
  strange: boolean;
}

function startReading(): Reading {
  return {
    mentions: new Map(),
    amounts: {},
    strangeClauses: 0,
    mode: 'plain',
    modeIsFresh: false,
    lastNamed: [],
    before: [],
    understood: false,
    strange: false,
  };
}

/** Reads the piece at `index` and those that belong to it; gives how many they are. */
function readPiece(pieces: readonly Piece[], index: number, reading: Reading): number {
  const piece = pieces[index] as Piece;
  if (piece.kind === 'end') return endClause(reading, 'plain');
  if (piece.kind === 'sign') return 1;
  if (piece.kind === 'number') {
    const { found, pieces: count } = readNumber(pieces, index, reading.before);
    reading.amounts = { ...reading.amounts, ...found };
    reading.understood ||= Object.keys(found).length > 0;
    return count;
  }
  const phrase = phraseAt(pieces, index);
  if (phrase !== undefined) return name(phrase.meanings, phrase.length, reading);
  readPlainWord(piece.word, reading);
  return 1;
}

function readPlainWord(word: string, reading: Reading): void {
  reading.before = [...reading.before.slice(1 - NEAR), word];
  const mode = MODES.get(word);
  if (mode === 'only' && reading.lastNamed.length > 0) {
    for (const meaning of reading.lastNamed) mention(meaning, 'only', reading);
    return;
  }
  reading.lastNamed = [];
  if (mode !== undefined) {
    setMode(mode, reading);
    return;
  }
  if (word === 'but') endClause(reading, 'plain');
  else if (CLAUSE_WORDS.has(word)) endClause(reading);
  else if (PREPOSITIONS.has(word)) reading.mode = modeAfterPreposition(reading);
  else if (!FILLERS.has(word)) reading.strange = true;
  reading.modeIsFresh &&= PREPOSITIONS.has(word);
}

function modeAfterPreposition({ mode, modeIsFresh }: Reading): Mode {
  return modeIsFresh || mode === 'only' ? mode : 'plain';
}

/** `no more radio` is no radio, `not only radio` says nothing against radio. */
function setMode(mode: Mode, reading: Reading): void {
  const negated = reading.modeIsFresh && reading.mode === 'not';
  if (negated && mode === 'only') reading.mode = 'plain';
  else if (!negated) reading.mode = mode;
  reading.modeIsFresh = true;
}

interface Phrase {
  readonly meanings: readonly Meaning[];
  readonly length: number;
}

/** The longest phrase of the lexicon that begins at `index`. */
function phraseAt(pieces: readonly Piece[], index: number): Phrase | undefined {
  const found: string[] = [];
  for (const piece of pieces.slice(index, index + LONGEST_PHRASE)) {
    if (piece.kind !== 'word') break;
    found.push(piece.word);
  }
  for (let length = found.length; length > 0; length -= 1) {
    const meanings = LEXICON.get(found.slice(0, length).join(' '));
    if (meanings !== undefined) return { meanings, length };
  }
  return undefined;
}

function name(meanings: readonly Meaning[], length: number, reading: Reading): number {
  for (const meaning of meanings) mention(meaning, reading.mode, reading);
  reading.lastNamed = meanings;
  reading.understood = true;
  reading.modeIsFresh = false;
  return length;
}

/** The last word on a thing counts. */
function mention({ facet, value }: Meaning, mode: Mode, { mentions }: Reading): void {
  mentions.set(`${facet} ${value}`, { facet, value, mode });
}

function endClause(reading: Reading, mode: Mode = reading.mode): number {
  if (reading.strange && !reading.understood) reading.strangeClauses += 1;
  reading.understood = false;
  reading.strange = false;
  reading.mode = mode;
  reading.modeIsFresh = false;
  reading.lastNamed = [];
  reading.before = [];
  return 1;
}

function words(list: string, mode: Mode): [string, Mode][] {
  return list.split(' ').map((word) => [word, mode]);
}
