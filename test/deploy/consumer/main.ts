// What somebody else writes: it is checked against the declarations of the package, and runs as JavaScript.
import { type AgentRecord, createClient, type ItemOf, RegistryFailure } from 'agent-registry/client';
import { loadDirectory, openDirectory } from 'agent-registry/client/directory';

declare const process: { readonly argv: readonly string[] };
declare const console: { log(text: string): void };

const registry = createClient({ baseUrl: process.argv[2] ?? '', timeoutMs: 20_000 });

const urls: string[] = [];
for await (const agent of registry.items('listAgents', { type: 'sales', limit: 2 })) {
  const record: AgentRecord = agent;
  urls.push(record.url);
}

const answer = await registry.call('validatePropertyAuthorization', {
  agent_url: urls[0] ?? '',
  identifier_type: 'domain',
  identifier_value: 'news.example',
});
const why: readonly string[] = answer.because.map(({ rule }) => rule);

const refused = await registry
  .call('listAgents', { limit: 100_000 })
  .catch((error: unknown) => (error instanceof RegistryFailure ? error.code : 'another error'));

const directory = await openDirectory(await (await loadDirectory(registry)).save());
const name = String(directory.agent(urls[0] ?? '')?.name);
const { because } = directory.isAuthorized({
  agent: urls[0] ?? '',
  property: { type: 'domain', value: 'news.example' },
});
const local = because.map(({ code }) => code);

// @ts-expect-error: no agent has this type
void (() => registry.call('listAgents', { type: 'nothing' }));
// @ts-expect-error: it answers in one piece
void (() => registry.items('getRegistryStats'));
// @ts-expect-error: the agent is missing
void (() => registry.call('getAgent'));
export type Change = ItemOf<'listChanges'>['agent_url'];

console.log(JSON.stringify({ urls, authorized: answer.authorized, why: why.length, refused, name, local }));
