/** Makes a value when it is first asked for, and gives the same one from then on. What `make` throws is thrown, and it is tried again. */
export function once<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
