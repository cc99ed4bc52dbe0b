import { installPeers } from '../../peers/install.ts';
import { FIELD_AGENTS, startFieldAgent } from '../../peers/runner/agents.ts';
import type { TestedAgent } from './agents.ts';

const SELLER = 'hello_seller_adapter_guaranteed';
/** Not that of `npm run test:peers:runner`, which may run beside it. */
const PORT = 13_204;

/** The field's example seller, which all cells share; close it. Installs the field's packages once. */
export async function openFieldSeller(): Promise<TestedAgent & { close(): Promise<void> }> {
  installPeers((line) => void process.stderr.write(`${line}\n`));
  const agent = FIELD_AGENTS.find(({ name }) => name === SELLER);
  if (agent === undefined) throw new Error(`the field has no example ${SELLER}`);
  const { url, close } = await startFieldAgent({ ...agent, port: PORT });
  const base = new URL(url).origin;
  return {
    name: 'seller of the field',
    protocol: 'mcp',
    vocabulary: 'adcp',
    path: '/mcp',
    // parties that its platform knows
    operator: 'pinnacle-agency.example',
    brand: 'acmeoutdoor.example',
    tasks: [
      ...['capabilities', 'get_products', 'sync_accounts', 'list_accounts', 'create_media_buy'],
      ...['update_media_buy', 'get_media_buy_delivery', 'comply_test_controller'],
    ],
    broken: ['update_media_buy'],
    start: async () => ({ base, token: agent.token ?? '', close: async () => undefined }),
    close,
  };
}
