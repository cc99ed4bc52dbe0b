import { isMissing } from '../domain/capture.ts';
import type { AuthorisationVia } from '../domain/declared-facts.ts';
import { wellKnownUrl } from '../domain/domain-name.ts';
import { ardLink } from './ard-link.ts';
import {
  contentOrUnchanged,
  type FetchStep,
  fetched,
  openTrail,
  ownStep,
  type StepRequest,
  unusable,
} from './fetched-file.ts';
import type { FileFetch, FileTask } from './file-task.ts';

const ARD: StepRequest = {
  maxBytes: 1024 * 1024,
  redirects: { allow: 'same_registrable_domain', max: 3 },
};
const HOME: StepRequest = { ...ARD, accept: 'text/html' };

/**
 * Fetches a domain's `ard.json`; where there is none, the file that the head of its home page links, or the name that the
 * format had before (ARD v0.91, 5.1).
 */
export async function fetchArd(task: FileTask): Promise<FileFetch> {
  const trail = openTrail(task);
  const own = await ownStep(task, trail, wellKnownUrl(task.domain, 'ard'), ARD);
  const end = (step: FetchStep, via: AuthorisationVia = 'own') =>
    step.answer === undefined
      ? unusable(isMissing(step.capture) ? own.capture : step.capture)
      : contentOrUnchanged(trail, step.answer, step.unchanged, via);
  if (!isMissing(own.capture)) return fetched(task, trail, end(own));
  const link = await linkedOnHome(task);
  if (link !== undefined)
    return fetched(task, trail, end(await ownStep(task, trail, link, ARD), 'reference'));
  const older = await ownStep(task, trail, `https://${task.domain}/.well-known/ai-catalog.json`, ARD);
  return fetched(task, trail, end(older));
}

/** What a home page links. It is not kept: it is no file of ours, and many differ each time that they are asked for. */
async function linkedOnHome({ domain, visit }: FileTask): Promise<string | undefined> {
  const home = await visit.get({ url: `https://${domain}/`, ...HOME });
  return home.ok && home.status === 200 ? ardLink(home.body, home.finalUrl) : undefined;
}
