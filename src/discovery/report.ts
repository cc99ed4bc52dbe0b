import type { Position } from '../base/json-positions.ts';
import type { Finding, Severity } from '../domain/finding.ts';
import { error } from './adagents-codes.ts';
import { FINDING_CODES, type FindingCode } from './finding-codes.ts';

/** Findings kept for one file; the rest is counted, so that a hostile file cannot fill the store. */
export const MAX_FINDINGS = 200;
const MAX_DETAIL = 120;
/** A pointer can be as long as the keys on its way: what is longer names the nearest container that is not. */
const MAX_POINTER = 1_000;

/** Collects the findings of one file in the order in which they were met. */
export interface Report {
  /**
   * `detail` takes the place of `#` in the message of the code, or follows it: the offending value, clipped and without
   * control characters.
   * `more` is for what neither can say: a place in the text, or what may have been meant.
   */
  add(
    code: FindingCode,
    pointer: string,
    detail?: unknown,
    more?: Position | Pick<Finding, 'didYouMean'>,
  ): void;
  /** Counts errors that are not even made. */
  leaveOut(errors: number): void;
  /** One of the few at the end of a file: it is kept however many came before. */
  conclude(code: FindingCode, pointer: string, detail: unknown): void;
  list(): readonly Finding[];
}

export function createReport(): Report {
  const findings: Finding[] = [];
  const conclusions: Finding[] = [];
  const leftOut = { error: 0, warning: 0 };
  return {
    add(code, pointer, detail, more) {
      if (findings.length < MAX_FINDINGS) findings.push({ ...findingOf(code, pointer, detail), ...more });
      else leftOut[FINDING_CODES[code].severity] += 1;
    },
    leaveOut(errors) {
      leftOut.error += errors;
    },
    conclude: (code, pointer, detail) => void conclusions.push(findingOf(code, pointer, detail)),
    list: () => [...findings, ...furtherFindings(leftOut), ...conclusions],
  };
}

/** A file whose errors are all behind the bound is no better than one whose errors are shown. */
function furtherFindings({ error, warning }: Readonly<Record<Severity, number>>): readonly Finding[] {
  if (error + warning === 0) return [];
  const further = findingOf('too_many_findings', '', `${error + warning} more, ${error} of them errors`);
  return [error > 0 ? { ...further, severity: 'error' } : further];
}

/** One finding with the severity, message and hint of its code. */
export function findingOf(code: FindingCode, pointer: string, detail?: unknown): Finding {
  const isNull = code === 'wrong_type' && detail === null;
  const { severity, message, hint } = isNull ? NULL_VALUE : FINDING_CODES[code];
  return {
    ...{ severity, code, pointer: shortPointer(pointer) },
    message: detail === undefined || isNull ? generalMessage(message) : withDetail(message, shown(detail)),
    ...(hint !== undefined && { hint }),
  };
}

/** A field that is null is not the same as one that is absent, which may widen an authorisation. */
const NULL_VALUE = error(
  'do not use null',
  'write a value; remove the field only if the format allows that and you mean it',
);

function withDetail(message: string, detail: string): string {
  return message.includes('#') ? message.replace('#', () => detail) : `${message}: ${detail}`;
}

/** The message of a code without the detail of a finding. */
export function generalMessage(message: string): string {
  return message.replace('#', '…');
}

function shortPointer(pointer: string): string {
  return pointer.length <= MAX_POINTER
    ? pointer
    : pointer.slice(0, Math.max(0, pointer.lastIndexOf('/', MAX_POINTER)));
}

function shown(detail: unknown): string {
  const text = typeof detail === 'string' ? detail : kindOf(detail);
  const clean = text
    .slice(0, MAX_DETAIL)
    .replace(/\p{Cc}|\p{Cf}/gu, ' ')
    .toWellFormed();
  return text.length > MAX_DETAIL ? `${clean}…` : clean;
}

/** The JSON type of a value, as messages name it. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'object' ? 'object' : String(value);
}
