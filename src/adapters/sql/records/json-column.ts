/** Parses a JSON column; null stays undefined. The text was written by this program, so its shape is known. */
export function parsed<T>(text: string | null): T | undefined {
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** The JSON text of a column; undefined becomes null. */
export function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
