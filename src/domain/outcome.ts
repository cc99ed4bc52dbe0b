/** How one visit ended. The closed list is also the metric label and what `crawl --json` counts. */
export const OUTCOMES = [
  'indexed', // read, and something in it was new
  'unchanged', // 304, or the same bytes as last time
  'invalid', // an answer that is no valid declaration
  'absent', // 404 or 410: there is no such file
  'unreachable', // nothing answered, or not in time
  'refused', // our own guard, robots.txt, or a 401/403
  'throttled', // 429, or 503 with Retry-After
  'failed', // 5xx, or a fault on our side
] as const;

export type Outcome = (typeof OUTCOMES)[number];
