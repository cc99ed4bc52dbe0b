/** What agents on this machine keep in one SQLite file: their states, caps and nonces. */
export { openAgentStates } from '../records/sqlite/agent-state.ts';
export { openCapStore } from '../records/sqlite/cap-store.ts';
export { openReplayStore } from '../records/sqlite/replay-store.ts';
