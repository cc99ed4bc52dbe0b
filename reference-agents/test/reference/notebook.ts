import type { AgentProfile, AgentSpec } from '../../src/agents/agent.ts';
import { type Caller, type Handlers, handler, refuse } from '../../src/reference/handler.ts';

export interface NotebookOptions {
  readonly prepare?: () => Promise<void>;
  readonly fail?: () => boolean;
}

/** Tasks with an effect that can be counted: each sync of catalogs is noted, under its caller. */
export function notebook(options: NotebookOptions = {}): Handlers {
  return {
    sync_catalogs: handler('sync_catalogs', {
      description: 'notes catalogs',
      callers: 'known',
      prepare: async () => options.prepare?.(),
      run: ({ catalogs }, { agent, caller, newId }) => {
        agent.state.collection('notes', caller.id).put(newId('note'), catalogs.length);
        if (options.fail?.() === true) refuse('POLICY_VIOLATION', 'not today', '/catalogs');
        return { catalogs: catalogs.map(({ catalog_id }) => ({ catalog_id, action: 'created' as const })) };
      },
    }),
    list_authorized_properties: handler('list_authorized_properties', {
      description: 'lists',
      callers: 'anybody',
      run: () => ({ publisher_domains: [] }),
    }),
  };
}

export const NOTEBOOK = notebook();

export function noteRequest(more: object = {}) {
  return {
    idempotency_key: 'a-key-of-the-buyer-0001',
    account: { brand: { domain: 'tidewater-kayaks.example' }, operator: 'tidewater-group.example' },
    catalogs: [{ catalog_id: 'boats' }],
    ...more,
  };
}

interface Noted {
  readonly spec: AgentSpec;
  readonly facts: AgentProfile;
  readonly caller: Caller;
}

/** Who notes, and who calls. */
export const NOTED: Noted = {
  spec: {
    name: 'The sales agent',
    description: 'under test',
    url: 'https://sales-1.agents.example/mcp',
    type: 'sales',
    transport: { protocol: 'mcp', style: 'json' },
  },
  facts: { vocabulary: 'proto', publisherDomains: [], metrics: [] },
  caller: { id: 'https://buyer-1.agents.example/mcp', operator: 'tidewater-group.example', signed: true },
};
