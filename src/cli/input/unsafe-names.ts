import { RegistryError } from '../../errors.ts';

const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** True for names by which a careless reader reaches the prototypes of its own objects. */
export function isUnsafeName(name: string): boolean {
  return UNSAFE.has(name);
}

/** Refuses a value that has `__proto__` as a name anywhere, with an error of usage that names `place`. */
export function checkNames(value: unknown, place: string): void {
  const open: unknown[] = [value];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at !== 'object' || at === null) continue;
    if (Object.hasOwn(at, '__proto__')) {
      throw new RegistryError('usage', `${place}: __proto__ cannot be the name of a field`, {
        hint: 'leave it out',
      });
    }
    // null, an item like any other, must not end the walk as nothing would
    for (const item of Object.values(at)) if (typeof item === 'object' && item !== null) open.push(item);
  }
}
