import { startSandbox } from '../../../reference-agents/src/start-sandbox.ts';
import type { Protocol } from '../../../src/domain/agent-type.ts';

/** An agent of which cells of the matrix are made. */
export interface TestedAgent {
  readonly name: string;
  readonly protocol: Protocol;
  readonly vocabulary: 'proto' | 'adcp';
  /** The path of its endpoint. */
  readonly path: string;
  /** For whom a run buys. */
  readonly operator: string;
  readonly brand: string;
  /** The tasks that it offers and our bundle calls, with `capabilities` for the capabilities task. */
  readonly tasks: readonly string[];
  /** Tasks that do not work even without a fault: wrong content makes no difference there. */
  readonly broken?: readonly string[];
  start(): Promise<StartedAgent>;
}

export interface StartedAgent {
  readonly base: string;
  readonly token: string;
  close(): Promise<void>;
}

const SELLER_TASKS = [
  ...['capabilities', 'get_products', 'list_authorized_properties', 'sync_accounts', 'list_accounts'],
  ...['list_creative_formats', 'sync_creatives', 'create_media_buy', 'update_media_buy'],
  ...['get_media_buy_delivery', 'provide_performance_feedback', 'log_event', 'sync_catalogs'],
  ...['sync_audiences', 'comply_test_controller'],
] as const;

function ofSandbox(
  name: string,
  host: string,
  { tasks, ...more }: Pick<TestedAgent, 'vocabulary' | 'protocol' | 'tasks'>,
): TestedAgent {
  return {
    name,
    ...more,
    tasks,
    path: more.protocol === 'mcp' ? '/mcp' : '/a2a',
    operator: 'desk.example',
    brand: 'tidewater-kayaks.example',
    async start() {
      const { vocabulary } = more;
      const { origin, buyers, close } = await startSandbox({
        seed: 7,
        publishers: 20,
        managed: 0,
        vocabulary,
      });
      const token = buyers.find(({ operator }) => operator === 'desk.example')?.token ?? '';
      return { base: `${origin}/@${host}`, token, close };
    },
  };
}

const SELLER = 'sales-1.agents.example';
const overMcp = { protocol: 'mcp', tasks: SELLER_TASKS } as const;

/** The sandbox's seller, and other agents of it for the tasks that a seller does not have. */
export const SANDBOX_AGENTS = {
  seller: ofSandbox('seller', SELLER, { ...overMcp, vocabulary: 'proto' }),
  publicSeller: ofSandbox('public seller', SELLER, { ...overMcp, vocabulary: 'adcp' }),
  a2aSeller: ofSandbox('seller over A2A', SELLER, {
    vocabulary: 'proto',
    protocol: 'a2a',
    tasks: SELLER_TASKS,
  }),
  governance: ofSandbox('governance agent', 'governance-1.agents.example', {
    vocabulary: 'proto',
    protocol: 'mcp',
    tasks: ['capabilities', 'sync_plans', 'check_governance', 'get_plan_audit_logs'],
  }),
  creative: ofSandbox('creative agent', 'creative-1.agents.example', {
    vocabulary: 'proto',
    protocol: 'mcp',
    tasks: ['capabilities', 'build_creative', 'list_creative_formats', 'preview_creative'],
  }),
  rights: ofSandbox('rights agent', 'rights-1.agents.example', {
    vocabulary: 'proto',
    protocol: 'mcp',
    tasks: ['capabilities', 'get_rights', 'acquire_rights'],
  }),
} as const;
