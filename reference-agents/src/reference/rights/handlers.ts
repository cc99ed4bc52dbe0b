import type { Handlers } from '../handler.ts';
import { acquireRights } from './acquire-rights.ts';
import { getRights } from './get-rights.ts';

/** The tasks of a rights agent. */
export const rightsHandlers: Handlers = { get_rights: getRights, acquire_rights: acquireRights };
