import { AGENT_TYPES } from 'agent-registry/agent-kit';
import { paint, printLine, visible } from 'agent-registry/command-line';
import type { Store } from 'agent-registry/registry';

/** Says what the crawl of the sandbox has found, from the index that the API answers from. */
export async function printDemo({ index, records }: Store, store: string): Promise<void> {
  const total = await index.count({});
  const counts = await Promise.all(AGENT_TYPES.map(async (type) => `${type} ${await index.count({ type })}`));
  const page = await index.search({ filter: {}, limit: 1_000 });
  const live = await records.agents.live(page.hits.map((hit) => hit.url));
  const online = [...live.values()].filter((state) => state.health?.online === true).length;
  printLine(`${paint('bold', `${total} agents`)} in the index, ${online} of them online`);
  printLine(`  by type: ${counts.join(', ')}`);
  printLine(
    `  by metric: ${await index.count({ type: 'measurement', q: 'view' })} measurement agents offer a metric with "view" in its id`,
  );
  const offline = [...live.values()].find((state) => state.health?.online === false);
  if (offline !== undefined)
    printLine(visible(`  offline: ${offline.agent} (${offline.health?.errorClass}), on purpose`));
  printLine(`why something is as it is: npx registry explain tarpit.example --store ${store}`);
}
