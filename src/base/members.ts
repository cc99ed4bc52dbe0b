/** The same object type, with every member that may be undefined made optional instead. */
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Without its undefined members, for what strangers declare: null is a value there, and a required member stays required. */
export function defined<T extends object>(object: T): Defined<T> {
  const kept: Record<string, unknown> = {};
  for (const key in object) if (object[key] !== undefined) kept[key] = object[key];
  return kept as Defined<T>;
}

/** Without its undefined and its null members, for what a row holds: what is not known is null there, and absent in our types. */
export function present<T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields))
    if (value !== null && value !== undefined) kept[name] = value;
  return kept as { [Name in keyof T]?: NonNullable<T[Name]> };
}
