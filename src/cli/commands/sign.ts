import { Option } from 'commander';
import {
  MESSAGE_KINDS,
  type MessageKind,
  SIGNING_PROFILES,
  type SigningProfile,
  TAG_VOCABULARIES,
  type TagVocabulary,
} from '../../signing/profile.ts';
import { type DefineCommand, examples } from '../command.ts';
import { collect, type JsonFlag, wholeNumber, withJson } from '../options.ts';
import { withFolder } from './keys.ts';

export interface SignFlags extends JsonFlag {
  readonly keys: string;
  readonly key?: string;
  readonly kind: MessageKind;
  readonly profile: SigningProfile;
  readonly vocabulary?: TagVocabulary;
  readonly digest: 'required' | 'forbidden';
  readonly cover: readonly string[];
  readonly at?: number;
  readonly lifetime?: number;
}

/** `registry sign`. */
export const defineSign: DefineCommand = (program, done) => {
  const command = program
    .command('sign')
    .description('Sign a message {method, url, headers, body}: print it with its signature headers.')
    .argument('<file>', 'the message as JSON, or - for stdin')
    .option(
      '--key <key>',
      'a private key: a file, or a kid in the folder; by default the newest of its kind in the folder',
    )
    .addOption(new Option('--kind <kind>', 'what the message is').choices(MESSAGE_KINDS).default('request'))
    .addOption(
      new Option('--profile <line>', 'how bytes are written: 3.1 base64url, 3.2 base64')
        .choices(SIGNING_PROFILES)
        .default('3.2'),
    )
    .addOption(
      new Option('--vocabulary <vocabulary>', "whose tag it has; by default the key's").choices(
        TAG_VOCABULARIES,
      ),
    )
    .addOption(
      new Option('--digest <rule>', 'whether the body is covered')
        .choices(['required', 'forbidden'])
        .default('required'),
    )
    .addOption(
      new Option('--cover <header>', 'cover this header too (repeatable)')
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--at <s>', 'sign as of this moment, Unix seconds', wholeNumber(0, 1e12))
    .option('--lifetime <s>', 'seconds until it expires (default 300)', wholeNumber(1, 300));
  withJson(withFolder(command));
  examples(command, 'registry sign request.json --json > signed.json');
  command.action(async (file: string, flags: SignFlags) => {
    const { signCommand } = await import('../run/sign.ts');
    done(await signCommand(file, flags));
  });
};
