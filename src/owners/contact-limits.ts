import { createAllowance } from '../base/allowance.ts';
import type { Clock } from '../ports/clock.ts';
import type { Contact, MayContact } from '../ports/subscriptions.ts';

const HOUR_MS = 3_600_000;

/** In an hour: deeds of one member at one site; requests to one site, whichever members they are for. */
export const CONTACTS_AN_HOUR = { deed: 60, verification: 30, wake_up: 20_000 } as const;

/** Counts what is sent to the sites of subscribers, in this process alone. */
export function createContactLimits(clock: Clock): MayContact {
  const allowanceOf = (kind: Contact['kind']) =>
    createAllowance({ clock, max: CONTACTS_AN_HOUR[kind], windowMs: HOUR_MS });
  const waitMs = {
    deed: allowanceOf('deed'),
    verification: allowanceOf('verification'),
    wake_up: allowanceOf('wake_up'),
  };
  return async ({ kind, site, member }) => waitMs[kind](kind === 'deed' ? `${member} ${site}` : site);
}
