/** Only the members that have a value: what is not known is absent in our types, and null in a row. */
export function present<T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields))
    if (value !== null && value !== undefined) kept[name] = value;
  return kept as { [Name in keyof T]?: NonNullable<T[Name]> };
}

/** Parses a JSON column; null stays undefined. The text was written by this program, so its shape is known. */
export function parsed<T>(text: string | null): T | undefined {
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** The JSON text of a column; undefined becomes null. */
export function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
