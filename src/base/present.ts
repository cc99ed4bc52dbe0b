/** The same object type, with every member that may be undefined made optional instead. */
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The object without its undefined members: what was not declared is absent, never undefined. */
export function defined<T extends object>(object: T): Defined<T> {
  const kept: Record<string, unknown> = {};
  for (const key in object) if (object[key] !== undefined) kept[key] = object[key];
  return kept as Defined<T>;
}

/** Only the members that have a value: what is not known is absent in our types, and null in a row. */
export function present<T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields))
    if (value !== null && value !== undefined) kept[name] = value;
  return kept as { [Name in keyof T]?: NonNullable<T[Name]> };
}
