import fc from 'fast-check';

const SURROGATES = 0xd800;
const SURROGATE_COUNT = 0x800;

/**
 * Any character but half of a pair, for `fc.string({ unit })`. It makes the same texts as fast-check's own unit `binary`,
 * without the table of a million characters that each process would fill first: that takes a second of CPU.
 */
export const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - SURROGATE_COUNT }).map(
  (place) => String.fromCodePoint(place < SURROGATES ? place : place + SURROGATE_COUNT),
  (character) => placeOf(String(character)),
);

function placeOf(character: string): number {
  const code = character.codePointAt(0);
  if (code === undefined || String.fromCodePoint(code) !== character || !character.isWellFormed())
    throw new Error('this is not one character');
  return code < SURROGATES ? code : code - SURROGATE_COUNT;
}
