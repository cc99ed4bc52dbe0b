import { bareDocument } from '../api/support/documents.ts';
import { startRegistry } from '../api/support/registry.ts';
import { filesThatRun } from './files-that-run.ts';
import type { MeasuredWay } from './run.ts';

const LIST = '/api/registry/agents';
const AGENTS = ['a', 'b', 'c'].map((name) => bareDocument(`https://${name}.example/`));

/** A list query that nobody has asked before, over the embedded index: nothing of the answer is kept. */
export const way: MeasuredWay = {
  name: 'a list query',
  bound: 22,
  async measure() {
    const { get, close } = await startRegistry(AGENTS);
    await get(`${LIST}?verified=true`);
    const ran = await filesThatRun(async () => {
      const { statusCode, body } = await get(`${LIST}?type=sales&limit=2&total=true&health=true`);
      if (statusCode !== 200 || !body.includes('next_cursor')) throw new Error(`answered ${statusCode}`);
    });
    await close();
    return ran;
  },
};
