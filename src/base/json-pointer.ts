/** Appends one step to a JSON pointer, escaped as RFC 6901 says. */
export function pointerTo(parent: string, step: string | number): string {
  if (typeof step === 'number' || !/[~/]/.test(step)) return `${parent}/${step}`;
  return `${parent}/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The JSON pointer of a path from the root (RFC 6901). */
export function pointerOf(steps: readonly (string | number)[]): string {
  return steps.reduce<string>(pointerTo, '');
}

/** The steps of a JSON pointer, unescaped (RFC 6901, section 4). */
export function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
