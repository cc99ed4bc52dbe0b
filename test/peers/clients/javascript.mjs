// The field's JavaScript client, as it is: a line of JSON comes in for each call, and one goes out for its answer.
import { createInterface } from 'node:readline';
import { ADCPMultiAgentClient, RegistryClient, RegistrySync } from '@adcp/sdk';
import { createWebhookEmitter } from '@adcp/sdk/server';
import {
  InMemoryReplayStore,
  InMemoryRevocationStore,
  StaticJwksResolver,
  verifyWebhookSignature,
} from '@adcp/sdk/signing/server';

// The client talks on stdout, which is for the answers.
for (const name of ['log', 'info', 'warn', 'error', 'debug']) console[name] = () => {};
const STRICT = { validation: { requests: 'strict', responses: 'strict' } };
// its models of webhooks have no name of their own among the exports
const SCHEMAS = new URL('../node_modules/@adcp/sdk/dist/lib/types/schemas.generated.js', import.meta.url)
  .href;
const clients = new Map();

function clientOf({ url, protocol, token }) {
  const key = `${protocol} ${url}`;
  if (!clients.has(key)) {
    const agent = { id: 'peer', name: 'peer', agent_uri: url, protocol, auth_token: token };
    clients.set(key, new ADCPMultiAgentClient([agent], STRICT).agent('peer'));
  }
  return clients.get(key);
}

const received = { replayStore: new InMemoryReplayStore(), revocationStore: new InMemoryRevocationStore({}) };

/** By the package's verifier, its model of the body, and the handler of its client. */
async function take({ take: message, keys }) {
  await verifyWebhookSignature(message, { jwks: new StaticJwksResolver(keys), ...received });
  const body = JSON.parse(message.body);
  const { MCPWebhookPayloadSchema } = await import(SCHEMAS);
  const checked = MCPWebhookPayloadSchema.safeParse(body);
  if (!checked.success) return { ok: false, error: JSON.stringify(checked.error.issues).slice(0, 1_000) };
  const seen = [];
  const handlers = { onActivity: ({ payload }) => void seen.push(payload) };
  const agent = { id: 'peer', name: 'peer', agent_uri: 'https://peer.example/mcp', protocol: 'mcp' };
  const client = new ADCPMultiAgentClient([agent], { handlers, ...STRICT }).agent('peer');
  const handled = await client.handleWebhook(body, body.task_type, body.operation_id);
  return { ok: handled && seen.length > 0, data: seen.at(-1), error: 'the handler was not called' };
}

/** One event of its own, as often as it is told to. */
async function post({ post: url, key, times }) {
  const signerKey = { keyid: key.kid, alg: 'ed25519', privateKey: key };
  const emitter = createWebhookEmitter({ signerKey, retries: { maxAttempts: 1 } });
  const payload = {
    ...{ task_id: 'task-7', operation_id: 'op-7', task_type: 'create_media_buy', status: 'completed' },
    timestamp: new Date().toISOString(),
    result: { media_buy_id: 'mb-7', packages: [] },
  };
  let sent;
  for (let time = 0; time < times; time += 1)
    sent = await emitter.emit({ url, payload, operation_id: 'op-7' });
  return { ok: sent.delivered, error: sent.errors.join() };
}

/** The method's own parameters by their names; what it can do without is left out. */
async function ask({ url, method, key, values }) {
  const client = new RegistryClient({ baseUrl: url, apiKey: key });
  const [, names = ''] = /^async \w+\(([^)]*)\)/.exec(client[method].toString()) ?? [];
  const given = names.split(/,\s*/).map((name) => values[name.toLowerCase()]);
  const found = Object.values((await client[method](...given)) ?? {});
  const failed = found.find((one) => typeof one?.error === 'string'); // of one call of many
  if (failed !== undefined) return { ok: false, error: failed.error };
  return found.length > 0 ? { ok: true } : { ok: false, error: 'it found nothing' };
}

const followers = new Map();
const WHEN_TOLD = 2_000_000_000; // milliseconds: it polls when it is told to

/** By the package's sync: what it holds after it has read the feed to its end. */
async function follow({ name, url, key }) {
  const known = followers.get(name);
  if (known === undefined) {
    const client = new RegistryClient({ baseUrl: url, apiKey: key });
    const sync = new RegistrySync({ client, pollIntervalMs: WHEN_TOLD });
    sync.on('error', () => {}); // it is also thrown
    followers.set(name, sync);
    await sync.start();
  } else await known.poll();
  const sync = followers.get(name);
  const agents = sync.getAgents().map((agent) => agent.url);
  const entries = [...sync.authByDomain.values()].flat();
  const edges = new Set(entries.map((one) => `${one.agent_url} ${one.publisher_domain}`));
  for (const { agent_url: agent, publisher_domain: publisher } of entries) {
    const ofAgent = sync.getAuthorizationsForAgent(agent);
    if (!ofAgent.some((one) => one.publisher_domain === publisher))
      return { ok: false, error: `of ${agent} it forgot ${publisher}` };
  }
  const verdicts = sync
    .getAgents()
    .map((agent) => `${agent.url} ${agent.compliance_summary?.status ?? 'unknown'}`);
  return { ok: true, data: { agents: agents.sort(), edges: [...edges].sort(), verdicts: verdicts.sort() } };
}

async function answered(order) {
  try {
    if (order.follow !== undefined) return await follow(order.follow);
    if (order.take !== undefined) return await take(order);
    if (order.registry !== undefined) return await ask(order.registry);
    return order.post === undefined ? await call(order) : await post(order);
  } catch (error) {
    return { ok: false, code: error?.code, error: `${error?.name}: ${error?.message}` };
  }
}

async function call({ agent, task, request }) {
  try {
    const result = await clientOf(agent).executeTask(task, request);
    const { success, data, error, adcpError, status } = result;
    if (success) return { ok: true, status, data };
    // A typed error instance also stands in `error`.
    return {
      ok: false,
      status,
      code: adcpError?.code,
      error: String(error?.message ?? error ?? status),
      data,
    };
  } catch (error) {
    return { ok: false, code: error?.code, error: `${error?.name}: ${error?.message}` };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answered(JSON.parse(line)))}\n`);
}
process.exit(0);
