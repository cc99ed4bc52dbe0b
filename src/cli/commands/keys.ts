import { type Command, Option } from 'commander';
import {
  ALGORITHMS,
  KEY_KINDS,
  type KeyKind,
  type SignatureAlgorithm,
  TAG_VOCABULARIES,
  type TagVocabulary,
} from '../../signing/profile.ts';
import { type DefineCommand, examples } from '../command.ts';
import { type JsonFlag, wholeNumber, withJson } from '../options.ts';
import { defineApiKeys } from './api-keys.ts';

/** Where keys are, unless another folder is named. */
export const KEY_FOLDER = '.registry/keys';
const DAY_IN_SECONDS = 86_400;

export interface KeysFlags extends JsonFlag {
  readonly keys: string;
}

export interface NewKeyFlags extends KeysFlags {
  /** What it signs; `credential`: it signs nothing, and seals test credentials. */
  readonly kind: KeyKind | 'credential';
  readonly alg: SignatureAlgorithm;
  readonly vocabulary: TagVocabulary;
  readonly kid?: string;
}

export interface GenerateFlags extends NewKeyFlags {
  readonly out?: string;
}

export interface OverlapFlags {
  /** Seconds. */
  readonly overlap: number;
}

export type RotateFlags = NewKeyFlags & OverlapFlags & { readonly revoke?: true };

/** `registry keys generate | jwks | rotate` for signing keys, `create | list | revoke` for API keys. */
export const defineKeys: DefineCommand = (program, done) => {
  const keys = program
    .command('keys')
    .description('Signing keys, as files of yours, and the API keys of members, in the records.');
  keys.commandsGroup('Signing keys, which messages are signed with:');
  const generate = keys
    .command('generate')
    .description('Make a key: its private part in a file that only you can read, its public part printed.')
    .option('--out <file>', 'write the private key there and not into the folder');
  withNewKey(generate).action(async (flags: GenerateFlags) => {
    const { generateCommand } = await import('../run/keys.ts');
    done(await generateCommand(flags));
  });
  const jwks = keys
    .command('jwks')
    .description(
      'Print the JWK set to publish: the public parts of the keys in use and of those retired lately.',
    );
  withOverlap(withFolder(jwks)).action(async (flags: KeysFlags & OverlapFlags) => {
    const { jwksCommand } = await import('../run/keys.ts');
    done(await jwksCommand(flags));
  });
  const rotate = keys
    .command('rotate')
    .description('Make a key and retire the ones of its kind, which stay published for the overlap.')
    .option('--revoke', 'for a key that others know: the old ones go at once, and into revoked.json');
  withOverlap(withNewKey(rotate)).action(async (flags: RotateFlags) => {
    const { rotateCommand } = await import('../run/keys.ts');
    done(await rotateCommand(flags));
  });
  keys.commandsGroup('API keys, which members call the API with:');
  defineApiKeys(keys, done);
  examples(
    keys,
    'registry keys generate --kind request',
    'registry keys jwks > public/.well-known/jwks.json',
    'registry keys rotate --kind webhook',
    'registry keys generate --kind credential --out /etc/registry/credential-keys.json',
    'registry keys create --member nova --label "build server"',
    'registry keys list --member nova',
  );
};

/** Adds --keys. */
export function withFolder(command: Command): Command {
  return command.option('--keys <folder>', 'the folder of the key files', KEY_FOLDER);
}

function withNewKey(command: Command): Command {
  const algorithms = Object.keys(ALGORITHMS);
  return withJson(withFolder(command))
    .addOption(
      new Option('--kind <kind>', 'what it signs; credential: it seals the test credentials of owners')
        .choices([...KEY_KINDS, 'credential'])
        .default('request'),
    )
    .addOption(new Option('--alg <alg>', 'algorithm').choices(algorithms).default('ed25519'))
    .addOption(
      new Option('--vocabulary <vocabulary>', 'whose names its purpose and tags have')
        .choices(TAG_VOCABULARIES)
        .default('proto'),
    )
    .option('--kid <id>', 'its name; by default made of its purpose and its thumbprint');
}

function withOverlap(command: Command): Command {
  return command.option(
    '--overlap <s>',
    'seconds that a retired key stays published',
    wholeNumber(0, 365 * DAY_IN_SECONDS),
    DAY_IN_SECONDS,
  );
}
