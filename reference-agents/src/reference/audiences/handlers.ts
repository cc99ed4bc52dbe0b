import type { Handlers } from '../handler.ts';
import { syncAudiences } from './sync.ts';

/** The task with audiences, of sellers and of signals agents. */
export const audienceHandlers: Handlers = { sync_audiences: syncAudiences };
