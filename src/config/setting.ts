/** One setting: what it is, what it is without one, where it comes from, and whether a log may show it. */
export interface Setting<T> {
  readonly description: string;
  readonly env: string;
  readonly fallback: T;
  readonly secret?: true;
  readonly parse: (text: string) => T | undefined;
}

export function setting<T>(
  env: string,
  description: string,
  fallback: T,
  parse: Setting<T>['parse'],
  secret = false,
): Setting<T> {
  return { env, description, fallback, parse, ...(secret && { secret: true as const }) };
}

/** The variables that a setting can be read from. */
export function variablesOf({ env, secret }: Pick<Setting<unknown>, 'env' | 'secret'>): readonly string[] {
  return secret === true ? [env, `${env}_FILE`] : [env];
}
