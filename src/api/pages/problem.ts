import { problemPage } from '../../pages/problem.ts';
import { prefersHtml } from '../answers.ts';
import type { PageOfProblem } from '../error-answers.ts';
import { PROBLEMS } from '../problem.ts';
import { keptPage, PAGE_HEADERS, type PageParts } from './html-pages.ts';

/** Where programs ask: they get the problem itself, whatever they accept. */
const FOR_PROGRAMS =
  /^\/(?:api|v1|schemas|healthz|readyz|metrics|openapi\.json|\.well-known|assets)(?:\/|$|\?)/;

/** Makes the pages that browsers are shown in place of problems, at every address that is one of a page. */
export function pagesOfProblems({ site }: PageParts): PageOfProblem {
  return (request, { status, code, message: detail, details: { requestId } }, after) => {
    if (FOR_PROGRAMS.test(request.url ?? '') || !prefersHtml(request.headers.accept)) return undefined;
    const page = problemPage(site, {
      ...{ status, title: PROBLEMS[code].title, detail },
      ...(requestId !== undefined && { requestId }),
      ...(after > 0 && { retryAfter: after }),
    });
    return { ...keptPage(site, page), headers: PAGE_HEADERS };
  };
}
