import type { Handlers } from '../handler.ts';
import { activateSignal } from './activate-signal.ts';
import { getSignals } from './get-signals.ts';

/** The tasks of a signals agent; sync_audiences is in ../audiences. */
export const signalsHandlers: Handlers = { get_signals: getSignals, activate_signal: activateSignal };
