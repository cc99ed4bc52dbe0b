import type { Finding } from '../../domain/finding.ts';
import { findingOf } from '../report.ts';
import type { Edit } from './edits.ts';

interface FaultSentence {
  /** `#` stands for what the fault is about: a bracket, a name, a word. */
  readonly reason: string;
  readonly hint: string;
  /** A text that has it. */
  readonly example: string;
}

/** What can be wrong with the text of a JSON document (RFC 8259), in words. */
export const SYNTAX_FAULTS = {
  after_end: {
    reason: 'something follows the end of the document',
    hint: 'one file is one object: remove what follows it, or move it inside',
    example: '{} and more',
  },
  blank: {
    reason: 'this blank is none of those that JSON knows',
    hint: 'write an ordinary space; such blanks come from a word processor or a web page',
    example: '{\u00a0"agents": []}',
  },
  bracket_extra: { reason: 'there is a # too many', hint: 'remove it', example: '{"agents": []}}' },
  bracket_missing: {
    reason: 'a closing # is missing here',
    hint: 'write # before what follows',
    example: '{"agents": [}',
  },
  bracket_wrong: {
    reason: 'another bracket closes here than was opened',
    hint: 'write #',
    example: '{"agents": []]',
  },
  character: {
    reason: '# cannot stand here',
    hint: 'remove it, or put a text in double quotes',
    example: '{"agents": [:]}',
  },
  colon_missing: {
    reason: 'a colon belongs between a name and its value',
    hint: 'write a colon',
    example: '{"agents" []}',
  },
  comma_extra: {
    reason: 'there is a comma too many',
    hint: 'remove it',
    example: '{"agents": [],, "version": "1"}',
  },
  comma_missing: {
    reason: 'a comma is missing here',
    hint: 'write a comma',
    example: '{"agents": [] "version": "1"}',
  },
  comma_trailing: {
    reason: 'there is a trailing comma before #',
    hint: 'remove the comma',
    example: '{"agents": [],}',
  },
  comment: {
    reason: 'comments are not part of JSON',
    hint: 'remove the comment',
    example: '{"agents": [] /* none */}',
  },
  control_character: {
    reason: 'a line end, a tab or another control character stands inside a text',
    hint: 'write it as an escape, such as \\n for a line end',
    example: '{"version": "1\t0"}',
  },
  escape: {
    reason: 'this escape is not known',
    hint: 'write a backslash as \\\\',
    example: '{"version": "\\x"}',
  },
  key_unquoted: { reason: 'the name # has no double quotes', hint: 'write "#"', example: '{agents: []}' },
  no_value: {
    reason: 'JSON has no #',
    hint: 'write a value, or remove the member',
    example: '{"version": undefined}',
  },
  not_json: {
    reason: 'this is not JSON',
    hint: 'the file must be one object: it begins with { and ends with }',
    example: 'MANAGERDOMAIN=manager.example',
  },
  number: {
    reason: 'this is not a number of JSON',
    hint: 'write digits, such as 5 or 0.5, or a text in double quotes',
    example: '{"version": 01}',
  },
  quote_unescaped: {
    reason: 'a double quote stands inside a text',
    hint: 'write it as \\"',
    example: '{"authorized_for": "all "display" ads"}',
  },
  quotes: {
    reason: 'texts of JSON stand in double quotes',
    hint: 'write " instead of these quotes',
    example: "{'agents': []}",
  },
  text_open: {
    reason: 'the closing quote of a text is missing',
    hint: 'write " where the text ends',
    example: '{"version": "1.0}',
  },
  text_unquoted: {
    reason: 'a text has no double quotes',
    hint: 'put it in double quotes',
    example: '{"version": latest}',
  },
  value_missing: {
    reason: 'a value is missing here',
    hint: 'write the value, or remove the name',
    example: '{"version": }',
  },
  word: { reason: 'JSON writes this word as #', hint: 'write #', example: '{"exclusive": True}' },
} as const satisfies Readonly<Record<string, FaultSentence>>;

/** Of what a fault is about, in its sentences. */
const MAX_DETAIL = 120;

export type SyntaxKind = keyof typeof SYNTAX_FAULTS;

/** One fault of a text; with its `edits` the text is JSON there. Offsets count UTF-16 units. */
export interface SyntaxFault {
  readonly kind: SyntaxKind;
  readonly offset: number;
  readonly length: number;
  readonly edits: readonly Edit[];
  /** Nothing else can have been meant, and nothing of the file is lost. */
  readonly isCertain: boolean;
  /** What `#` stands for in the sentences. */
  readonly detail?: string;
}

/** A fault in words. Its place is that of the fault in the text. */
export function syntaxFinding({ kind, detail = '' }: SyntaxFault): Finding & { readonly hint: string } {
  const { reason, hint } = SYNTAX_FAULTS[kind];
  const about = (sentence: string): string => sentence.replaceAll('#', () => detail.slice(0, MAX_DETAIL));
  return { ...findingOf('syntax', '', about(reason)), hint: about(hint) };
}
