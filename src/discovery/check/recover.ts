import { isUtf8 } from 'node:buffer';
import { JSON_BOUNDS } from '../json-faults.ts';
import { type Coding, compressionOf, readJson } from '../read-json.ts';
import { type Edit, withEdits } from './edits.ts';
import { MAX_FAULTS } from './lenient-cursor.ts';
import { walkJson } from './lenient-walk.ts';
import type { SyntaxFault } from './syntax-faults.ts';

/** The text of a file, and the JSON that it was meant to be. */
export interface Recovered {
  /** As given, without its byte order mark. All offsets are of this text. */
  readonly text: string;
  readonly hasBom: boolean;
  /** `guessed`: no UTF-8 and no UTF-16, so its letters are a guess. */
  readonly encoding: 'utf-8' | 'utf-16' | 'guessed';
  /** The bytes are compressed data and no text; then there is nothing in the other members. */
  readonly coding?: Coding;
  /** The first faults of its syntax. */
  readonly faults: readonly SyntaxFault[];
  readonly faultCount: number;
  /** Those that can only have been meant so, of all faults. */
  readonly certainEdits: readonly Edit[];
  /** JSON, unless there is no making sense of the text. */
  readonly json: string;
  originOf(offset: number): number;
}

/** Makes JSON of the bytes of a file, past its faults, in linear time. `most` faults are listed; the others are counted. */
export function recover(bytes: Uint8Array, most: number): Recovered {
  const coding = compressionOf(bytes);
  const { text, hasBom, encoding } = decode(coding === undefined ? bytes : new Uint8Array());
  const given = { text, hasBom, encoding, faults: [], faultCount: 0, certainEdits: [] };
  if (coding !== undefined) return { ...given, coding, json: '', originOf: (offset) => offset };
  const isBroken = readJson(Buffer.from(text)).findings.some(({ code }) => code === 'syntax');
  if (!isBroken) return { ...given, json: text, originOf: (offset) => offset };
  const faults: SyntaxFault[] = [];
  const edits: Edit[] = [];
  const certainEdits: Edit[] = [];
  let faultCount = 0;
  const isComplete = walkJson(
    text,
    (fault) => {
      faultCount += 1;
      if (faults.length < most) faults.push(fault);
      edits.push(...fault.edits);
      if (fault.isCertain) certainEdits.push(...fault.edits);
    },
    JSON_BOUNDS.depth,
  );
  const edited = isComplete ? withEdits(text, edits) : withEdits(text, []);
  faults.sort((a, b) => a.offset - b.offset);
  return {
    ...given,
    faults,
    faultCount: Math.min(faultCount, MAX_FAULTS),
    certainEdits,
    json: edited.text,
    originOf: edited.originOf,
  };
}

function decode(bytes: Uint8Array): Pick<Recovered, 'text' | 'hasBom' | 'encoding'> {
  if (isUtf8(bytes)) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    const hasBom = text.startsWith('\ufeff');
    return { text: hasBom ? text.slice(1) : text, hasBom, encoding: 'utf-8' };
  }
  const [first, second] = bytes;
  const is16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const name = is16 ? (first === 0xff ? 'utf-16le' : 'utf-16be') : 'windows-1252';
  const text = new TextDecoder(name).decode(bytes);
  return { text, hasBom: false, encoding: is16 ? 'utf-16' : 'guessed' };
}
