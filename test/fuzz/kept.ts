/** Texts that once took long, or were too much for a parser: its name, what it was, and the text. */
export const KEPT: readonly (readonly [parser: string, why: string, text: string])[] = [
  [
    'YAML',
    'keys that were compared pairwise',
    Array.from({ length: 3_000 }, (_, n) => `k${n}: 1\n`).join(''),
  ],
  ['YAML', 'errors that each had the line in them', `[${','.repeat(20_000)}]`],
  ['YAML', 'an overflow of the stack outside of the try', `[${'"a":'.repeat(14_000)}]`],
  ['YAML', 'an alias inside of what it stands for', 'x: &a [*a, *a, *a]'],
  [
    'conditions, placeholders and paths',
    'blanks around operators',
    `a!=${' '.repeat(993)}!=${' '.repeat(993)}`,
  ],
  ['signed targets', 'escapes in a query', `https://a.example/?${'%25'.repeat(28)}\u0000`],
  ['signature headers', 'blanks within a header', `a${' '.repeat(8_000)}b\nsig1=:AA==:\n`],
  [
    'addresses of agents and domains',
    'slashes before something else',
    `https://a.example${'/'.repeat(1_900)}x/`,
  ],
  ['streams of events', 'a broken error in each event', 'data:{"error":\n\n'.repeat(4_000)],
  ['streams of events', 'events of nothing', 'data:1\n\n'.repeat(8_000)],
  ['adagents.json, checked', 'a broken escape in the key of a text without sense', '{"\\4":'.repeat(40)],
  ['adagents.json, checked', 'letters that are measured, in frames', `{"ü":{{${'"ä":1,'.repeat(1_000)}`],
  ['answers of agents', 'levels without end', `${'{"a":['.repeat(1_300)}${']}'.repeat(1_300)}`],
];
