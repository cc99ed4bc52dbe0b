import { Option } from 'commander';
import { FILE_KINDS, type FileKind } from '../../domain/declaration.ts';
import { type DefineCommand, examples } from '../command.ts';
import { type JsonFlag, type NetworkFlags, withJson, withNetwork } from '../options.ts';

export interface ValidateFlags extends NetworkFlags, JsonFlag {
  readonly kind?: FileKind;
}

/** `registry validate`. */
export const defineValidate: DefineCommand = (program, done) => {
  const command = program
    .command('validate')
    .description('Check an adagents.json or brand.json: a file, the one a domain publishes, or - for stdin.')
    .argument('<target>', 'a file, a domain name, or -')
    .addOption(
      new Option(
        '--kind <kind>',
        'which of the two it is; by default told from the name or the content',
      ).choices(FILE_KINDS),
    );
  withJson(withNetwork(command));
  examples(
    command,
    'registry validate ./adagents.json',
    'registry validate news.example',
    'cat brand.json | registry validate - --kind brand',
  );
  command.action(async (target: string, flags: ValidateFlags) => {
    const { validateCommand } = await import('../run/validate.ts');
    done(await validateCommand(target, flags));
  });
};
