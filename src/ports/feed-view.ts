/** A position in the two logs that make the feed. */
export interface FeedPlace {
  readonly agents: number;
  readonly edges: number;
}

/** The feed, as deliveries to webhooks read it. */
export interface FeedView {
  /** All that there is lies before it. */
  end(): Promise<FeedPlace>;
  /** Looks for the first event of these types behind a place; without one, `place` is how far it has looked. */
  next(from: FeedPlace, types: string): Promise<{ readonly at?: number; readonly place: FeedPlace }>;
  /** Where a reader goes on from a place; `at` is the time in the cursor. */
  cursor(place: FeedPlace, at: number): string;
  /** The address of the feed from a cursor. */
  address(cursor: string, types: string): string;
}
