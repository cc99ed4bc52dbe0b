/** The next `count` of an iterator at most, which can be asked for more afterwards (`Iterator.take` ends it). */
export function takeNext<T>(iterator: Iterator<T>, count: number): readonly T[] {
  const taken: T[] = [];
  while (taken.length < count) {
    const { done, value } = iterator.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}
