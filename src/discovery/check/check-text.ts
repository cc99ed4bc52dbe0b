import { isObject, type JsonObject } from '../../base/json.ts';
import type { Declaration, FileKind } from '../../domain/declaration.ts';
import type { Finding } from '../../domain/finding.ts';
import { endedEntries } from '../declared-publisher.ts';
import { readAdagents } from '../read-adagents.ts';
import { readBrand } from '../read-brand.ts';
import type { FileBounds, Read } from '../read-document.ts';
import { findingOf, MAX_FINDINGS } from '../report.ts';
import { otherPublisher } from '../simple-publisher.ts';
import { memberBeside, type Repair } from './advised-values.ts';
import { catalogueFindings } from './catalogue.ts';
import { hiddenBehind, supposing } from './hidden-findings.ts';
import { drafted, strangeDrafts } from './member-drafts.ts';
import { type CheckedFinding, type Draft, fixedText, located, shown } from './placed-findings.ts';
import type { Recovered } from './recover.ts';
import { type SyntaxFault, syntaxFinding } from './syntax-faults.ts';
import { hasOlderList } from './wanted-members.ts';

/** What was found in the text of a file. */
export interface CheckedText {
  /** What the file says, as far as its text could be recovered. */
  readonly declaration?: Declaration;
  /** Empty when there is no making sense of it. */
  readonly document: JsonObject;
  readonly findings: readonly CheckedFinding[];
  /** The text with all certain fixes; absent when there is none. */
  readonly fixed?: string;
  /** As it was read, without its byte order mark. */
  readonly text?: string;
}

/** How much of a file a check reads. */
export const CHECK_BOUNDS: FileBounds = { maxAgents: 500, maxDomains: 10_000 };

/** Reads a text as one of the two kinds of file. */
export function readAs(kind: FileKind, json: string, bounds: FileBounds = CHECK_BOUNDS): Read<Declaration> {
  const bytes = Buffer.from(json);
  return kind === 'adagents' ? readAdagents(bytes, bounds) : readBrand(bytes, bounds);
}

/** What a text is judged as. */
export interface TextKind {
  readonly kind: FileKind;
  /** The domain that publishes it, where it is known. */
  readonly publisher?: string;
  /** By default CHECK_BOUNDS. */
  readonly bounds?: FileBounds;
  /** Whether an entry has ended is told of this moment, epoch milliseconds; absent: of none. */
  readonly now?: number;
}

/** Judges a recovered text: its encoding, its syntax, and what it says as far as that can be told. */
export function checkText(as: TextKind, recovered: Recovered): CheckedText {
  const { text, faults, faultCount, coding } = recovered;
  if (coding !== undefined)
    return {
      document: {},
      findings: shown([{ finding: findingOf('compressed', '', coding), advice: {} }], ''),
    };
  const given = judged(as, recovered);
  const outside = given.drafts.filter(
    ({ finding }) => finding.code === 'member_unread' && isOutermost(finding),
  );
  const base =
    outside.length === 0
      ? recovered
      : supposing(
          recovered,
          outside.flatMap((draft) => setAside(draft, given.document)),
        );
  const seen = base === recovered ? given : judged(as, base);
  const known = [...(seen === given ? [] : outside), ...seen.drafts];
  const behind = hiddenBehind({ ...seen, drafts: known }, base, (text) => judged(as, text));
  const drafts = [...known, ...behind];
  const leftOut = Math.max(0, drafts.length - MAX_FINDINGS) + faultCount - faults.length;
  const all = [
    ...encodingDrafts(recovered),
    ...faults.map(faultDraft),
    ...drafts.slice(0, MAX_FINDINGS),
    ...(leftOut > 0 ? [{ finding: findingOf('too_many_findings', '', `${leftOut} more`), advice: {} }] : []),
  ];
  const { declaration, document } = outside.every(({ advice }) => advice.fix) ? seen : given;
  const fixed = fixedText(recovered, drafts);
  return {
    ...(declaration && { declaration }),
    document,
    findings: shown(all, text),
    text,
    ...(fixed !== undefined && { fixed }),
  };
}

interface Judged {
  readonly declaration?: Declaration;
  readonly document: JsonObject;
  readonly drafts: readonly Draft[];
}

function judged({ kind, publisher, bounds, now }: TextKind, recovered: Recovered): Judged {
  const { faultCount, json } = recovered;
  const { declaration, findings } = readAs(kind, json, bounds);
  const document = parsed(json);
  const content = findings.filter(({ code }) => faultCount === 0 || code !== 'syntax');
  const more =
    declaration?.kind === 'adagents'
      ? [
          ...(publisher === undefined ? [] : otherPublisher(declaration, publisher)),
          ...catalogueFindings(document, publisher),
          ...(now === undefined ? [] : endedEntries(declaration, now)),
        ]
      : [];
  const drafts = [
    ...[...content, ...more].map((finding) => drafted(finding, document)),
    ...strangeDrafts(document, kind, content),
  ];
  return { ...(declaration && { declaration }), document, drafts: located(withoutRivals(drafts), recovered) };
}

/** Two members of one object that are meant as the same one say two things, of which one would be lost: neither is renamed. */
function withoutRivals(drafts: readonly Draft[]): readonly Draft[] {
  const meant = Map.groupBy(drafts, ({ finding: { code, pointer }, advice: { didYouMean } }) =>
    code.startsWith('member_') && didYouMean !== undefined ? memberBeside(pointer, didYouMean) : undefined,
  );
  const rivals = new Set([...meant].flatMap(([name, of]) => (name !== undefined && of.length > 1 ? of : [])));
  return drafts.map((draft) => {
    const { fix, ...advice } = draft.advice;
    return fix !== undefined && rivals.has(draft) ? { ...draft, advice } : draft;
  });
}

function isOutermost({ pointer }: Finding): boolean {
  return !pointer.includes('/', 1);
}

/** What lets the rest of the file be judged: the certain name, or one that is nobody's. */
function setAside({ finding: { pointer }, advice }: Draft, document: JsonObject): readonly Repair[] {
  const unread = { pointer, part: 'key', put: JSON.stringify(`x-${pointer.slice(1)}`) } as const;
  return advice.fix?.changes ?? (hasOlderList(document) ? [unread] : []);
}

function parsed(json: string): JsonObject {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function encodingDrafts({ hasBom, encoding }: Recovered): Draft[] {
  const draft = (code: 'bom' | 'not_utf8', detail: string | undefined, title: string | undefined): Draft => ({
    finding: findingOf(code, '', detail),
    advice: title === undefined ? {} : { fix: { title, changes: [] } },
    ...(title !== undefined && { edits: [] }),
  });
  if (encoding === 'utf-16') return [draft('not_utf8', 'it looks like UTF-16', 'write the file as UTF-8')];
  if (encoding === 'guessed') return [draft('not_utf8', undefined, undefined)];
  return hasBom ? [draft('bom', undefined, 'remove the byte order mark')] : [];
}

function faultDraft(fault: SyntaxFault): Draft {
  const { offset, length, edits, isCertain } = fault;
  const finding = syntaxFinding(fault);
  const fix = isCertain ? { fix: { title: finding.hint.slice(0, 80), changes: [] } } : {};
  return { finding, advice: fix, span: { offset, length }, ...(isCertain && { edits }) };
}
