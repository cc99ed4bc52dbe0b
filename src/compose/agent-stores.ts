/** What agents on this machine keep in one SQLite file: their states, caps and nonces. */
export { openAgentStates } from '../adapters/sql/sqlite/agent-state.ts';
export { openCapStore } from '../adapters/sql/sqlite/cap-store.ts';
export { openReplayStore } from '../adapters/sql/sqlite/replay-store.ts';
