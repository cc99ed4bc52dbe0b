/*
 * A process that does one task of an agent and dies by its own hand: `before` the transaction of the effect is kept,
 * or `after` it, when nobody has had the answer yet. Arguments: the state's file, and the moment.
 */
import { openAgentStates } from '../../../src/compose/agent-stores.ts';
import type { AgentState } from '../../../src/records/sqlite/agent-state.ts';
import { runTask } from '../../src/reference/run-task.ts';
import { bareAgent } from '../support/reference-agent.ts';
import { NOTEBOOK, NOTED, noteRequest } from './notebook.ts';

const [file = '', moment] = process.argv.slice(2);
const state = openAgentStates(file).of(NOTED.spec.url);
const die = () => process.kill(process.pid, 'SIGKILL');

const dying: AgentState = {
  ...state,
  transaction(work) {
    const result = state.transaction(() => {
      const made = work();
      if (moment === 'before') die();
      return made;
    });
    die();
    return result;
  },
};

const agent = bareAgent(NOTED.spec, NOTED.facts, dying);
await runTask(agent, NOTEBOOK, 'sync_catalogs', noteRequest(), NOTED.caller, Date.now());
