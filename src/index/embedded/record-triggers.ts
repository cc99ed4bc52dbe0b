/** What a record shows beside its document, and the column that names the agent. */
const BESIDE = {
  agent: {
    columns: 'first_seen_at, last_seen_at, last_checked_at, seen_text, health_text, health',
    key: 'agent',
    when: '',
  },
  source: { columns: 'next_visit_at', key: 'key', when: "kind = 'agent'" },
} as const;

/** Each change of it makes the record another one. */
const RECORD_TRIGGERS = (['agent', 'source'] as const).flatMap((table) =>
  (['INSERT', 'UPDATE', 'DELETE'] as const).map((event) => {
    const { columns, key, when } = BESIDE[table];
    const row = event === 'DELETE' ? 'OLD' : 'NEW';
    const what = `AFTER ${event}${event === 'UPDATE' ? ` OF ${columns}` : ''} ON ${table}`;
    const condition = when === '' ? '' : ` WHEN ${row}.${when}`;
    return { name: `${table}_${event.toLowerCase()}`, event: what + condition, agent: `${row}.${key}` };
  }),
);

/** Makes the triggers that count up `changed` of an agent in a table of the index. */
export function triggersSql(table: string): string {
  const texts = RECORD_TRIGGERS.map(
    ({ name, event, agent }) => `CREATE TRIGGER ${table}_${name} ${event} BEGIN
      UPDATE ${table} SET changed = changed + 1 WHERE url = ${agent};
    END;`,
  );
  return texts.join('\n    ');
}

/** Drops them: without its table each write to the records would fail. */
export function noTriggersSql(table: string): string {
  return RECORD_TRIGGERS.map(({ name }) => `DROP TRIGGER IF EXISTS ${table}_${name};`).join('');
}
