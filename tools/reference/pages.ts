import { apiPage } from './api.ts';
import { codesPage, findingCodesPage } from './codes.ts';
import { commandsPage } from './commands.ts';
import { settingsPage } from './settings.ts';

/** The folder of the pages, from the root of the repository. */
export const REFERENCE_FOLDER = 'docs/reference';

/** The reference pages that follow from the code: file name → text. The same for the same code. */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['settings.md', settingsPage()],
    ['commands.md', await commandsPage()],
    ['api.md', await apiPage()],
    ['finding-codes.md', findingCodesPage()],
    ['error-codes.md', codesPage()],
  ]);
}
