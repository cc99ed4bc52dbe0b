import { SECURITY_PAGE, securityPage } from './budgets.ts';
import { clientMethodsPage } from './clients.ts';
import { codesPage, findingCodesPage } from './codes.ts';
import { commandsPage, REFERENCE_AGENTS_PAGE, referenceCommandsPage } from './commands.ts';
import { settingsPage } from './settings.ts';

/**
 * The pages that follow from the code: path from the root of the repository → text. The same for the same code. Of the page of
 * security it is one table.
 */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['docs/reference/settings.md', settingsPage()],
    ['docs/reference/commands.md', await commandsPage()],
    [REFERENCE_AGENTS_PAGE, await referenceCommandsPage()],
    ['docs/reference/client-methods.md', await clientMethodsPage()],
    ['docs/reference/finding-codes.md', findingCodesPage()],
    ['docs/reference/error-codes.md', codesPage()],
    [SECURITY_PAGE, securityPage()],
  ]);
}
