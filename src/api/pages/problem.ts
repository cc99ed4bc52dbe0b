import { problemPage } from '../../pages/problem.ts';
import { prefersHtml } from '../answers.ts';
import type { PageOfProblem } from '../error-answers.ts';
import { FOR_PROGRAMS } from '../http-server.ts';
import { NOTHING_HERE, PROBLEMS } from '../problem.ts';
import { keptPage, PAGE_HEADERS, type PageParts } from './html-pages.ts';

/** Makes the error pages of browsers at every path of a page. Paths for programs return the problem itself, whatever they accept. */
export function pagesOfProblems({ site }: PageParts): PageOfProblem {
  return (request, { status, code, message, details: { requestId } }, after) => {
    if (FOR_PROGRAMS.test(request.url ?? '') || !prefersHtml(request.headers.accept)) return undefined;
    const detail = message === NOTHING_HERE ? 'no page has this address' : message;
    const page = problemPage(site, {
      ...{ status, title: PROBLEMS[code].title, detail },
      ...(requestId !== undefined && { requestId }),
      ...(after > 0 && { retryAfter: after }),
    });
    return { ...keptPage(site, page), headers: PAGE_HEADERS };
  };
}
