/** Licences (SPDX) that a dependency of the program may have: permissive ones, which ask for a notice at most. */
export const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
];

export interface Exception {
  readonly name: string;
  /** As the lock file has it; missing where the manifest has none. */
  readonly licence?: string | readonly string[];
  readonly why: string;
}

/** Packages that say something else, and why they are allowed all the same, as long as they say just that. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    name: 'caniuse-lite',
    licence: 'CC-BY-4.0',
    why: 'it is about its data, a table of browsers; we pass it on unchanged, with its notice',
  },
  { name: 'map-stream', why: 'its manifest names none; its file LICENCE is the MIT licence' },
  {
    name: 'pause-stream',
    licence: ['MIT', 'Apache2'],
    why: 'a list from before SPDX, which leaves the choice',
  },
];

/** Whether an SPDX expression lets us choose a licence of the list. */
export function isAllowed(license: string | readonly string[] | undefined): boolean {
  if (typeof license !== 'string') return false;
  const choices = license.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((part) => ALLOWED.includes(part)));
}
