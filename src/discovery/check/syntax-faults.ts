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
    reason: 'unexpected content after the end of the document',
    hint: 'remove it, or move it into the object',
    example: '{} and more',
  },
  blank: {
    reason: 'unsupported whitespace character',
    hint: 'use an ordinary space; such characters come from word processors and web pages',
    example: '{\u00a0"agents": []}',
  },
  bracket_extra: { reason: 'there is one # too many', hint: 'remove it', example: '{"agents": []}}' },
  bracket_missing: {
    reason: 'missing closing #',
    hint: 'write # before the next value',
    example: '{"agents": [}',
  },
  bracket_wrong: {
    reason: 'mismatched closing bracket',
    hint: 'write #',
    example: '{"agents": []]',
  },
  character: {
    reason: 'unexpected #',
    hint: 'remove it, or put the text in double quotes',
    example: '{"agents": [:]}',
  },
  colon_missing: {
    reason: 'missing colon between a name and its value',
    hint: 'write a colon',
    example: '{"agents" []}',
  },
  comma_extra: {
    reason: 'extra comma',
    hint: 'remove it',
    example: '{"agents": [],, "version": "1"}',
  },
  comma_missing: {
    reason: 'missing comma',
    hint: 'write a comma',
    example: '{"agents": [] "version": "1"}',
  },
  comma_trailing: {
    reason: 'trailing comma before #',
    hint: 'remove the comma',
    example: '{"agents": [],}',
  },
  comment: {
    reason: 'comments are not allowed in JSON',
    hint: 'remove the comment',
    example: '{"agents": [] /* none */}',
  },
  control_character: {
    reason: 'line break, tab or other control character inside a string',
    hint: 'escape it, for example \\n for a line break',
    example: '{"version": "1\t0"}',
  },
  escape: {
    reason: 'unknown escape sequence',
    hint: 'write a backslash as \\\\',
    example: '{"version": "\\x"}',
  },
  key_unquoted: { reason: 'the name # is not in double quotes', hint: 'write "#"', example: '{agents: []}' },
  no_value: {
    reason: 'JSON has no #',
    hint: 'write a value, or remove the field',
    example: '{"version": undefined}',
  },
  not_json: {
    reason: 'the text is not a JSON document',
    hint: 'the file must be one object: it begins with { and ends with }',
    example: 'MANAGERDOMAIN=manager.example',
  },
  number: {
    reason: 'invalid number',
    hint: 'write digits, for example 5 or 0.5, or a string in double quotes',
    example: '{"version": 01}',
  },
  quote_unescaped: {
    reason: 'unescaped double quote inside a string',
    hint: 'write it as \\"',
    example: '{"authorized_for": "all "display" ads"}',
  },
  quotes: {
    reason: 'strings must be in double quotes',
    hint: 'write " instead of these quotes',
    example: "{'agents': []}",
  },
  text_open: {
    reason: 'missing closing quote of a string',
    hint: 'write " at the end of the string',
    example: '{"version": "1.0}',
  },
  text_unquoted: {
    reason: 'string without double quotes',
    hint: 'put it in double quotes',
    example: '{"version": latest}',
  },
  value_missing: {
    reason: 'missing value',
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
