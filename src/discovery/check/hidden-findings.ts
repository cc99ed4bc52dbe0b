import { isObject, type JsonObject, pointerTo } from '../../base/json.ts';
import { positionsOf } from '../../base/json-positions.ts';
import { MAX_FINDINGS } from '../report.ts';
import { memberBeside, type Repair, valueAt } from './advised-values.ts';
import { withEdits } from './edits.ts';
import { type Draft, editsOf } from './placed-findings.ts';
import type { Recovered } from './recover.ts';

/** A text as it was judged. */
interface Judged {
  readonly document: JsonObject;
  readonly drafts: readonly Draft[];
}

/** Behind so many faults, one behind the other, others are looked for in the same run. */
const MAX_DEPTH = 4;

/**
 * What further runs would find: what stands behind something that cannot be read as it is. Each fault is supposed to be put
 * right, by its fix, by what may have been meant, or by anything that can be read, and the text is judged again. Nothing
 * that is supposed is written anywhere.
 */
export function hiddenBehind(
  seen: Judged,
  base: Recovered,
  judge: (text: Recovered) => Judged,
): readonly Draft[] {
  const known = new Set(seen.drafts.map(nameOf));
  // what is put right behind one fault may tell what is meant by another one
  const supposed = new Set<string>();
  const hidden: Draft[] = [];
  let [last, text] = [seen, base];
  // of more findings than are shown, those behind them are none
  for (let depth = 0; depth < MAX_DEPTH && known.size < MAX_FINDINGS; depth += 1) {
    const { document } = last;
    const names = new Set<string>();
    // a name that stands there, or that another member gets, would hide what has it
    const isFree = (change: Repair): boolean => {
      const name = memberMade(change);
      if (name === undefined) return true;
      return valueAt(document, name) === undefined && !names.has(name) && names.add(name) !== undefined;
    };
    const changes = last.drafts
      .filter((draft) => !supposed.has(nameOf(draft)))
      .flatMap((draft, index) => {
        const made = supposedOf(draft, document, `${depth}-${index}`);
        if (made.length > 0) supposed.add(nameOf(draft));
        return made;
      })
      .toSorted((a, b) => Number(a.part === 'inside') - Number(b.part === 'inside'))
      .filter(isFree);
    if (changes.length === 0) break;
    text = supposing(text, changes);
    const judged = judge(text);
    const found = judged.drafts.filter((draft) => !known.has(nameOf(draft)));
    for (const draft of found) known.add(nameOf(draft));
    hidden.push(...found);
    last = judged;
  }
  return hidden;
}

/** The pointer of the member that a change makes; a name that is given goes before one that is made up. */
function memberMade({ part, pointer, put }: Repair): string | undefined {
  if (part === 'key') return memberBeside(pointer, JSON.parse(put) as string);
  return part === 'inside' ? pointerTo(pointer, /^"([^"]*)"/.exec(put)?.[1] ?? '') : undefined;
}

function nameOf({ finding: { code, pointer } }: Draft): string {
  return `${code} ${pointer}`;
}

/** As if some changes were made, so that what is in their places is judged; all places stay those of the file. */
export function supposing(recovered: Recovered, changes: readonly Repair[]): Recovered {
  const { json, originOf } = recovered;
  const places = positionsOf(
    json,
    changes.map(({ pointer }) => pointer),
  );
  const edits = changes.flatMap(
    (change) => editsOf(change, places.get(change.pointer), (span) => span, json) ?? [],
  );
  const supposed = withEdits(json, edits);
  return { ...recovered, json: supposed.text, originOf: (offset) => originOf(supposed.originOf(offset)) };
}

/** What a reader could go on with; `mark` makes names that nothing else in the file has. */
type Supposing = (pointer: string, document: JsonObject, mark: string) => readonly Repair[];

const anyUrl: Supposing = (pointer, document, mark) =>
  member(pointer, document, 'url', `https://supposed-${mark}.invalid/`);
const otherName: Supposing = (pointer, _document, mark) => [
  { pointer, part: 'key', put: JSON.stringify(`x-${mark}`) },
];

/** Of faults behind which the rest of their object is not read. */
const SUPPOSED: Readonly<Record<string, Supposing>> = {
  url_missing: anyUrl,
  url_invalid: anyUrl,
  url_not_https: anyUrl,
  limit_unknown: otherName,
  member_misplaced: otherName,
  redirect_with_agents: (_pointer, { house }) =>
    typeof house === 'string'
      ? [{ pointer: '/house', part: 'value', put: JSON.stringify({ domain: house }) }]
      : [{ pointer: '/authoritative_location', part: 'key', put: '"x-location"' }],
  property_type_missing: (pointer, document) => member(pointer, document, 'property_type', 'website'),
  selection_type_unknown: (pointer, document) => {
    const place = pointer.endsWith('/selection_type') ? pointer.slice(0, -'/selection_type'.length) : pointer;
    const selector = valueAt(document, place);
    const has = (name: string): boolean => isObject(selector) && Object.hasOwn(selector, name);
    const type = has('property_ids') ? 'by_id' : has('property_tags') ? 'by_tag' : 'all';
    return member(place, document, 'selection_type', type);
  },
};

function supposedOf({ finding, advice }: Draft, document: JsonObject, mark: string): readonly Repair[] {
  const { code, pointer } = finding;
  const { fix, didYouMean } = advice;
  if (fix !== undefined) return fix.changes;
  if (didYouMean !== undefined && code.startsWith('member_'))
    return [{ pointer, part: 'key', put: JSON.stringify(didYouMean) }];
  const value = valueAt(document, pointer);
  const isMeant = typeof value === 'string' || value === null;
  if (didYouMean !== undefined && isMeant)
    return [{ pointer, part: 'value', put: JSON.stringify(didYouMean) }];
  return SUPPOSED[code]?.(pointer, document, mark) ?? [];
}

/** A member of the object at a place, or of the one that it stands in, with a text as its value. */
function member(pointer: string, document: JsonObject, name: string, value: string): readonly Repair[] {
  const put = JSON.stringify(value);
  const object = valueAt(document, pointer);
  if (!isObject(object)) return [{ pointer, part: 'value', put }];
  if (Object.hasOwn(object, name)) return [{ pointer: pointerTo(pointer, name), part: 'value', put }];
  if (Object.keys(object).length === 0) return [];
  return [{ pointer, part: 'inside', put: `${JSON.stringify(name)}: ${put},` }];
}
