const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/i;

export interface Instant {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Only a date was given; midnight UTC was taken. */
  readonly isDate: boolean;
}

/** Reads an RFC 3339 time, or a bare date; undefined for anything else and for days that no calendar has. */
export function readInstant(text: string): Instant | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  if (new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day || month < 1) return undefined;
  const at = Date.parse(text.toUpperCase());
  return Number.isNaN(at) ? undefined : { at, isDate: match[4] === undefined };
}
