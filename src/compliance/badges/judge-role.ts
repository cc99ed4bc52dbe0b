import { type BadgeRole, lineOf, roleOf } from '../../domain/badge.ts';

import type { JudgedRun, Verdict } from '../../domain/judged-run.ts';

/**
 * What a run says of a role. `silent`: nothing against it, and not enough for it, since our bundle has no storyboard
 * for a declared specialism or the run was of another protocol line.
 */
export type RoleResult =
  | { readonly result: 'pass'; readonly specialisms: readonly string[] }
  | { readonly result: 'fail'; readonly why: string }
  | { readonly result: 'silent' };

/**
 * Judges one role of one protocol line by a run that counts. An agent that cannot be tested, or does not say what it
 * declares, fails every line; a specialism whose storyboard could not run fails too, or a badge could be kept by
 * taking away what it is tested with.
 */
export function judgeRole(run: JudgedRun, role: BadgeRole, line: string): RoleResult {
  const { verdict } = run;
  if (run.outcome === 'unreachable') return { result: 'fail', why: 'the agent could not be tested' };
  if (!verdict.declaration_read) return { result: 'fail', why: 'the agent does not say what it declares' };
  const declared = declaredFor(verdict, role);
  if (declared.length === 0 || lineOf(run.proto_version) !== line) return { result: 'silent' };
  const failed = declared.filter((specialism) => fails(verdict, specialism));
  if (failed.length > 0) return { result: 'fail', why: notPassing(verdict, failed) };
  const passed = declared.filter((specialism) => statusOf(verdict, specialism) === 'pass');
  return passed.length === declared.length ? { result: 'pass', specialisms: declared } : { result: 'silent' };
}

/** The declared specialisms that belong to a role, sorted. */
function declaredFor({ declared_specialisms }: Verdict, role: BadgeRole): readonly string[] {
  return declared_specialisms.filter((specialism) => roleOf(specialism) === role).sort();
}

function fails(verdict: Verdict, specialism: string): boolean {
  return statusOf(verdict, specialism) !== 'pass' && !verdict.without_storyboard.includes(specialism);
}

function statusOf({ specialism_status }: Verdict, specialism: string): string | undefined {
  return Object.hasOwn(specialism_status, specialism) ? specialism_status[specialism] : undefined;
}

/** The end of a sentence. */
function notPassing(verdict: Verdict, specialisms: readonly string[]): string {
  const untested = specialisms.filter((specialism) => statusOf(verdict, specialism) !== 'fail');
  const failed = specialisms.filter((specialism) => !untested.includes(specialism));
  const told = [
    ...(failed.length > 0 ? [`${failed.join(', ')} ${failed.length === 1 ? 'does' : 'do'} not pass`] : []),
    ...(untested.length > 0 ? [`${untested.join(', ')} could not be tested in full`] : []),
  ];
  return told.join(', and ');
}
