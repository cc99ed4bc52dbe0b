/** Where a client of the field does not show what an answer says, and by which text the answer is right all the same. */
export interface Difference {
  readonly client: string;
  readonly transport: 'mcp' | 'a2a';
  readonly shows: string;
  readonly text: string;
}

/** docs/reference/peers.md has this table; test/docs/peers.test.ts compares them. */
export const DIFFERENCES: readonly Difference[] = [
  {
    client: 'javascript',
    transport: 'a2a',
    shows: 'the code of a refusal only in the raw task, which it passes on as `data`',
    text: 'its own server fails the task with `adcp_error` in a data part, as ours does; the Python client reads it there',
  },
];
