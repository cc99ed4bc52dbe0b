import type { FastifyInstance } from 'fastify';
import { changesPage } from '../../pages/registry/changes.ts';
import { statusPage } from '../../pages/registry/status.ts';
import type { Records } from '../../ports/records.ts';
import { changesOf } from '../operations/changes.ts';
import type { KeptFigures } from '../operations/stats.ts';
import type { StoryboardCatalogue } from '../operations/storyboards.ts';
import { queryText, refuseParameters } from '../parameters.ts';
import type { ChangeListBody } from '../render/change-list.ts';
import { type HtmlPages, keptPage, MAX_PAGE_BYTES, NO_OPERATION } from './html-pages.ts';

/** Many are about the same agents. */
const CHANGES_A_PAGE = 100;

interface RegistryPageParts {
  readonly records: { readonly agents: Pick<Records['agents'], 'lastChanges'> };
  readonly figures: KeptFigures;
  readonly storyboards: StoryboardCatalogue;
}

/** GET /status and GET /changes. */
export function registryPages(
  server: FastifyInstance,
  pages: HtmlPages,
  { records, figures, storyboards }: RegistryPageParts,
): void {
  server.get('/status', NO_OPERATION, async (request, reply) => {
    refuseParameters(queryText(request), 'the status');
    const site = pages.siteFor(request);
    const protocolVersion = await storyboards.usual();
    const current = await figures.last((err) => request.log.warn({ err }, 'counting the statistics failed'));
    return pages.send(request, reply, keptPage(site, statusPage(site, { ...current, protocolVersion })));
  });
  server.get('/changes', NO_OPERATION, async (request, reply) => {
    const site = pages.siteFor(request);
    const asked = new URLSearchParams(queryText(request));
    if (!asked.has('limit')) asked.set('limit', String(CHANGES_A_PAGE));
    const first = await changesOf({ records }, asked.toString());
    const whole = wholeHours(first);
    if (whole < first.changes.length) asked.set('limit', String(whole));
    for (;;) {
      const found = await changesOf({ records }, asked.toString());
      const view = {
        ...found,
        ...{ isFirst: !asked.has('cursor'), endsWithinHour: await endsWithinHour({ records }, found) },
        jsonPath: `/api/registry/changes?${asked}`,
      };
      const page = keptPage(site, changesPage(site, view));
      if (page.body.length <= MAX_PAGE_BYTES || found.changes.length <= 1)
        return pages.send(request, reply, page);
      asked.set('limit', String(Math.ceil(found.changes.length / 2)));
    }
  });
}

/** Whether the next older change is of the same hour. */
async function endsWithinHour(
  parts: Pick<RegistryPageParts, 'records'>,
  { changes, next_cursor: next }: ChangeListBody,
): Promise<boolean> {
  if (next === null) return false;
  const before = await changesOf(parts, `limit=1&cursor=${next}`);
  return hourOf(before.changes[0]?.at) === hourOf(changes.at(-1)?.at);
}

function hourOf(at: string | undefined): string | undefined {
  return at?.slice(0, 13);
}

/** The number of changes up to the beginning of an hour, so that a page does not split the changes of an agent in one hour. */
function wholeHours({ changes, next_cursor: next }: ChangeListBody): number {
  const last = hourOf(changes.at(-1)?.at);
  const before = changes.findIndex(({ at }) => hourOf(at) === last);
  return next === null || before <= 0 ? changes.length : before;
}
