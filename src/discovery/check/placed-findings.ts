import { placesOf, positionsOf, type TextSpan, type ValuePlace } from '../../base/json-positions.ts';
import type { Finding } from '../../domain/finding.ts';
import type { Advice, Repair } from './advised-values.ts';
import { type Edit, notInside, withEdits } from './edits.ts';
import { frameOf } from './frame.ts';
import type { Recovered } from './recover.ts';

/** What a fix does to the text of the file; offsets count UTF-16 units behind a byte order mark. */
export interface Fix {
  readonly title: string;
  readonly edits: readonly Edit[];
}

/** A finding with all that helps its author. */
export interface CheckedFinding extends Finding, Pick<Advice, 'allowed'> {
  /** The place in the text: a few lines with a mark. */
  readonly frame?: string;
  readonly fix?: Fix;
}

/** A finding on its way: where it is marked, and what would put it right. */
export interface Draft {
  readonly finding: Finding;
  readonly advice: Advice;
  readonly span?: TextSpan;
  readonly edits?: readonly Edit[];
}

/** The drafts with their places in the text as it was given, in one pass over the JSON. */
export function located(drafts: readonly Draft[], { json, text, originOf }: Recovered): Draft[] {
  const changes = drafts.flatMap(({ advice }) => advice.fix?.changes ?? []);
  const places = positionsOf(json, [
    ...drafts.map(({ finding }) => finding.pointer),
    ...changes.map(({ pointer }) => pointer),
  ]);
  const origin = ({ offset, length }: TextSpan): TextSpan => {
    const start = originOf(offset);
    return { offset: start, length: Math.max(0, originOf(offset + length) - start) };
  };
  return drafts.map((draft) => {
    const { finding, advice } = draft;
    const place = places.get(finding.pointer);
    const marksKey = /^(?:duplicate_key|unsafe_key|member_)/.test(finding.code);
    const edits = advice.fix?.changes.map((each) => editsOf(each, places.get(each.pointer), origin, text));
    const span =
      place === undefined || finding.pointer === '' ? undefined : origin((marksKey && place.key) || place);
    return {
      ...draft,
      ...(span && { span }),
      ...(edits?.every((each) => each !== undefined) && { edits: edits.flat() }),
    };
  });
}

/** Undefined where the place of a change is not to be found. */
export function editsOf(
  { part, put }: Repair,
  place: ValuePlace | undefined,
  origin: (span: TextSpan) => TextSpan,
  text: string,
): readonly Edit[] | undefined {
  const here = part === 'key' ? place?.key : place;
  if (here === undefined) return undefined;
  const { offset, length } = origin(here);
  if (part === 'wrap')
    return [
      { offset, length: 0, text: '[' },
      { offset: offset + length, length: 0, text: ']' },
    ];
  if (part !== 'inside') return [{ offset, length, text: put }];
  const blanks = /^\s{0,200}/.exec(text.slice(offset + 1, offset + 201))?.[0] ?? '';
  return [{ offset: offset + 1, length: 0, text: `${blanks}${put}${blanks === '' ? ' ' : ''}` }];
}

/** With its lines, columns and frames, in the order of the text. */
export function shown(drafts: readonly Draft[], text: string): CheckedFinding[] {
  const placeOf = placesOf(
    text,
    drafts.flatMap(({ span }) => span ?? []),
  );
  const findings = drafts.map(({ finding, advice: { fix, ...advice }, span, edits }) => {
    const place = span && placeOf(span);
    return {
      ...finding,
      ...(place && { line: place.line, column: place.column, frame: frameOf(text, place) }),
      ...advice,
      ...(fix && edits && { fix: { title: fix.title, edits } }),
    };
  });
  return findings.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

/** The text with all certain fixes. A fix of what it says goes before those of the syntax inside its place. */
export function fixedText(recovered: Recovered, drafts: readonly Draft[]): string | undefined {
  const { text, certainEdits, hasBom, encoding } = recovered;
  const edits = drafts.flatMap((draft) => draft.edits ?? []);
  if (encoding === 'guessed') return undefined;
  if (edits.length + certainEdits.length === 0) return hasBom || encoding === 'utf-16' ? text : undefined;
  return withEdits(text, [...notInside(certainEdits, edits), ...edits]).text;
}
