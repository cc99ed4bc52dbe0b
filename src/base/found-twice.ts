/** What a search finds twice in a row: what it finds once may be a write that came between two of its reads. */
export async function foundTwice<Found>(search: () => Promise<readonly Found[]>): Promise<readonly Found[]> {
  const once = await search();
  if (once.length === 0) return once;
  const before = new Set(once.map((one) => JSON.stringify(one)));
  return (await search()).filter((one) => before.has(JSON.stringify(one)));
}
