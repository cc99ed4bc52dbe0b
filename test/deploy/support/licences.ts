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

/** Packages whose licence is not of the list, or not an SPDX expression, and why we take them. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'caniuse-lite': 'CC-BY-4.0, for data about browsers that we do not use; it comes with @crawlee/basic',
  'map-stream': 'names no licence in its package file; its LICENCE file is the MIT licence',
  'pause-stream': 'MIT or Apache-2.0, as a list that is not an SPDX expression',
};

/** Whether an SPDX expression lets us choose a licence of the list. */
export function isAllowed(license: string | readonly string[] | undefined): boolean {
  if (typeof license !== 'string') return false;
  const choices = license.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((part) => ALLOWED.includes(part)));
}
