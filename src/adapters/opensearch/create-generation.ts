import { randomBytes } from 'node:crypto';
import type { Entry } from './catalogue.ts';
import { type EngineFault, indexUnavailable } from './errors.ts';
import { creationBody } from './mapping.ts';
import type { Site } from './site.ts';
import { isSecondWriteIndex, liveNames } from './switch.ts';

/**
 * Makes an empty generation under the next number: its index with the mapping, the names and whose it is, in one step.
 * Returns false when another process was faster, with this number or with a live generation.
 */
export async function createGeneration(
  site: Site,
  entries: readonly Entry[],
  state: 'live' | 'building',
  now: number,
): Promise<boolean> {
  const { engine, names, recordsId, ready } = site;
  const id = Math.max(0, ...entries.map((entry) => entry.given)) + 1;
  const handle = names.handle(id, randomBytes(6).toString('hex'));
  const live = state === 'live' ? liveNames(names, id, now) : [];
  const body = creationBody({
    ...ready,
    recordsId,
    createdAt: now,
    aliases: { [handle]: {}, ...Object.fromEntries(live) },
    searchable: state === 'live',
  });
  try {
    await engine.send({ method: 'PUT', path: `/${names.index(id)}`, body }, engine.changes);
    return true;
  } catch (thrown) {
    const fault = thrown as EngineFault;
    if (fault.type === 'resource_already_exists_exception' || isSecondWriteIndex(fault)) return false;
    throw indexUnavailable(engine.place, fault);
  }
}
