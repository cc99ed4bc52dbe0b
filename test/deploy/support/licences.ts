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

/** Whether an SPDX expression lets us choose a licence of the list. */
export function isAllowed(license: string | readonly string[] | undefined): boolean {
  if (typeof license !== 'string') return false;
  const choices = license.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((part) => ALLOWED.includes(part)));
}
