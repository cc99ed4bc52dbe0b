import type { Handlers } from '../handler.ts';
import { getBrandIdentity } from './identity.ts';

/** The task of a brand agent. */
export const brandHandlers: Handlers = { get_brand_identity: getBrandIdentity };
