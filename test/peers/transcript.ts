import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isObject } from '../../src/base/json.ts';

const GUIDE = join(import.meta.dirname, '../../docs/guides/ask-an-assistant.md');
const SECTION = '## A transcript\n';

/** A call of the guide's transcript, what the guide says of its answer, and the answer. */
export interface TranscriptCall {
  readonly name: string;
  readonly said: unknown;
  readonly answer: unknown;
}

/** Makes the calls of the guide as they stand there, by the SDK's client over MCP. */
export async function madeCalls(registry: string): Promise<readonly TranscriptCall[]> {
  const [, behind = ''] = readFileSync(GUIDE, 'utf8').split(SECTION);
  const [section = ''] = behind.split('\n## ');
  const blocks = [...section.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text = '']) => JSON.parse(text));
  const client = new Client({ name: 'transcript', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${registry}/mcp`)) as Transport);
  const calls: TranscriptCall[] = [];
  for (let at = 0; at + 1 < blocks.length; at += 2) {
    const { structuredContent: answer } = await client.callTool(blocks[at]);
    calls.push({ name: blocks[at].name, said: blocks[at + 1], answer });
  }
  await client.close();
  return calls;
}

/** Whether an answer holds what is said of it; of a list each one, in any place. */
export function holds(answer: unknown, said: unknown): boolean {
  if (Array.isArray(said))
    return Array.isArray(answer) && said.every((one) => answer.some((other) => holds(other, one)));
  if (!isObject(said)) return answer === said;
  return isObject(answer) && Object.entries(said).every(([name, value]) => holds(answer[name], value));
}
