import { visit } from 'jsonc-parser';
import type { Position } from '../base/json-positions.ts';

export interface SyntaxFault extends Position {
  readonly reason: string;
}

/** By the parser's own error codes (jsonc-parser, ParseErrorCode). */
const REASONS: readonly string[] = [
  '',
  'an unknown word',
  'a broken number',
  'a key in double quotes was expected here',
  'a value was expected here',
  'a colon was expected here',
  'a comma was expected here',
  'a closing brace is missing',
  'a closing bracket is missing',
  'something follows the end of the document',
  'comments are not part of JSON',
  'comments are not part of JSON',
  'a text is not closed',
  'a broken number',
  'a broken \\u escape',
  'an unknown escape',
  'a control character inside a text',
];

/** The first place at which a text stops being JSON; undefined when this parser sees no error. */
export function syntaxFault(text: string): SyntaxFault | undefined {
  const stop = new Error('first error');
  let fault: SyntaxFault | undefined;
  const onError = (
    code: number,
    _offset: number,
    _length: number,
    line: number,
    character: number,
  ): never => {
    fault = { line: line + 1, column: character + 1, reason: REASONS[code] ?? 'broken here' };
    throw stop; // what follows a broken string may nest without end, so nothing after the error is read
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  } catch (error) {
    if (error !== stop) throw error;
  }
  return fault;
}
