/** A position in the two logs that make the feed. */
export interface FeedPlace {
  readonly agents: number;
  readonly edges: number;
}

/** The feed for deliveries to webhooks. */
export interface FeedView {
  /** The position after the last event. */
  end(): Promise<FeedPlace>;
  /** Finds the first event of these types after a position. `place` is the position that it has read up to; `at` is absent if none was found. */
  next(from: FeedPlace, types: string): Promise<{ readonly at?: number; readonly place: FeedPlace }>;
  /** The cursor of a position; `at` is the time in it. */
  cursor(place: FeedPlace, at: number): string;
  /** The URL of the feed from a cursor on. */
  address(cursor: string, types: string): string;
}
