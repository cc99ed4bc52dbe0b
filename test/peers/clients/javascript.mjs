// The field's JavaScript client, as it is: a line of JSON comes in for each call, and one goes out for its answer.
import { createInterface } from 'node:readline';
import { ADCPMultiAgentClient } from '@adcp/sdk';

// The client talks on stdout, which is for the answers.
for (const name of ['log', 'info', 'warn', 'error', 'debug']) console[name] = () => {};
const STRICT = { validation: { requests: 'strict', responses: 'strict' } };
const clients = new Map();

function clientOf({ url, protocol, token }) {
  const key = `${protocol} ${url}`;
  if (!clients.has(key)) {
    const agent = { id: 'peer', name: 'peer', agent_uri: url, protocol, auth_token: token };
    clients.set(key, new ADCPMultiAgentClient([agent], STRICT).agent('peer'));
  }
  return clients.get(key);
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
  process.stdout.write(`${JSON.stringify(await call(JSON.parse(line)))}\n`);
}
process.exit(0);
