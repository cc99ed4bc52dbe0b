import { FILE_KINDS } from '../../../domain/declaration.ts';
import { choiceFlag, type FlagValues, textFlag, toggle } from '../../flags.ts';
import { JSON_FLAG, NETWORK_FLAGS } from '../../shared-flags.ts';

export const VALIDATE_FLAGS = {
  kind: choiceFlag(
    '--kind <kind>',
    'the kind of file; by default recognised by its name or content',
    FILE_KINDS,
  ),
  for: textFlag('--for <domain>', 'the domain that publishes the file, for the list of authorized agents'),
  fix: toggle('--fix', 'apply the safe fixes to the file, and show the changes'),
  dryRun: toggle('--dry-run', 'with --fix: show the changes and write nothing'),
  watch: toggle('--watch', 'validate the file again whenever it changes, until Ctrl-C'),
  ...NETWORK_FLAGS,
  ...JSON_FLAG,
};

export type ValidateFlags = FlagValues<typeof VALIDATE_FLAGS>;
