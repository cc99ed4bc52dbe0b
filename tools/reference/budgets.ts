import { readFileSync } from 'node:fs';
import { BUDGETS, type Budget, limitsOf } from '../../src/budgets/table.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { code, table } from './markdown.ts';

/** The page that has the table of budgets between these two lines; the rest of it is written by hand. */
export const SECURITY_PAGE = 'docs/security.md';
const [BEGIN, END] = ['<!-- budgets:begin -->', '<!-- budgets:end -->'];

const HEAD = [
  ...['what', 'window', 'in all', 'reserved for members', 'each member', 'each address', 'each network'],
  ...['each site', 'of that for its owners', 'each caller and site'],
];

/** The page as it is, with the table of today's budgets. */
export function securityPage(): string {
  const page = readFileSync(new URL(`../../${SECURITY_PAGE}`, import.meta.url), 'utf8');
  const [from, until] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from === -1 || until < from) throw new Error(`${SECURITY_PAGE} has no ${BEGIN} before ${END}`);
  return `${page.slice(0, from)}${BEGIN}\n\n${budgetTable()}\n${page.slice(until)}`;
}

function budgetTable(): string {
  const { env, fallback } = SETTINGS.rateLimit;
  const requests: Budget = {
    ...{ what: `HTTP requests (${code(env)})`, window: 'minute' },
    ...{ perMember: fallback, perAddress: fallback },
  };
  return table(HEAD, [requests, ...Object.values(BUDGETS)].map(row));
}

function row(budget: Budget): readonly string[] {
  const { what, window, total, reservedForMembers, perMember, perAddress, perSite, reservedForOwners } =
    budget;
  // a limit for callers without a key, of which there are none where only members may ask
  const perNetwork = perAddress === 0 ? undefined : limitsOf(budget, false, false).perNetwork;
  const { perPartyAndSite } = limitsOf(budget, true, false);
  const limits = [total, reservedForMembers, perMember, perAddress, perNetwork];
  return [what, window, ...[...limits, perSite, reservedForOwners, perPartyAndSite].map(cell)];
}

function cell(limit: number | undefined): string {
  return limit === undefined ? '–' : limit.toLocaleString('en');
}
