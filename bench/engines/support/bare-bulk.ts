import { Agent, request as httpRequest } from 'node:http';
import { GENERATION_TEMPLATE, searchableSettings } from '../../../src/index/opensearch/catalogue.ts';

/** The least that bulk loading takes: keep-alive connections, and no look at an item unless something failed. */
export interface BareBulk {
  /** An index of its own with our mapping, as a copy is made: not searchable yet. */
  create(): Promise<void>;
  send(lines: Buffer): Promise<void>;
  /** What was written is found from now on. */
  finish(): Promise<void>;
  /** How many documents are found; then it is dropped. */
  countAndDrop(): Promise<number>;
}

export function bareBulk(engine: string, index: string): BareBulk {
  const agent = new Agent({ keepAlive: true });
  const ask = (method: string, path: string, body: Buffer = Buffer.alloc(0)) =>
    call(agent, method, new URL(`/${index}${path}`, engine), body);
  const json = (value: object) => Buffer.from(JSON.stringify(value));
  return {
    async create() {
      const settings = { index: { ...GENERATION_TEMPLATE.settings.index, refresh_interval: '-1' } };
      await ask('PUT', '', json({ ...GENERATION_TEMPLATE, settings }));
    },
    async send(lines) {
      const answer = await ask('POST', '/_bulk?filter_path=errors', lines);
      if (answer !== '{"errors":false}') throw new Error(`a bulk request failed: ${answer}`);
    },
    async finish() {
      await ask('PUT', '/_settings', json({ index: searchableSettings(0) }));
      await ask('POST', '/_refresh');
    },
    async countAndDrop() {
      const { count } = JSON.parse(await ask('GET', '/_count')) as { readonly count: number };
      await ask('DELETE', '');
      agent.destroy();
      return count;
    },
  };
}

/** So many bulk requests are under way at once, as in the product. */
export async function sendAll(
  bulk: BareBulk,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  for await (const chunk of chunks) {
    const sending = bulk.send(chunk).finally(() => underWay.delete(sending));
    underWay.add(sending);
    if (underWay.size >= AT_ONCE) await Promise.race(underWay);
  }
  await Promise.all(underWay);
}

const AT_ONCE = 4;

function call(agent: Agent, method: string, url: URL, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const request = httpRequest(url, { method, agent, headers }, async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      if (response.statusCode === 200) resolve(text);
      else
        reject(new Error(`${method} ${url.pathname} answered ${response.statusCode}: ${text.slice(0, 300)}`));
    });
    request.on('error', reject).end(body);
  });
}
