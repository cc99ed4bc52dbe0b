import { Option } from 'commander';
import {
  DIGEST_RULES,
  type DigestRule,
  MESSAGE_KINDS,
  type MessageKind,
  SIGNING_PROFILES,
  type SigningProfile,
} from '../../signing/profile.ts';
import { type DefineCommand, examples } from '../command.ts';
import { type JsonFlag, wholeNumber, withJson } from '../options.ts';

export interface VerifyFlags extends JsonFlag {
  readonly jwks: string;
  readonly at?: number;
  readonly kind: MessageKind;
  readonly profile: SigningProfile;
  readonly digest: DigestRule;
  readonly revoked?: string;
  readonly store?: string;
}

/** `registry verify`. */
export const defineVerify: DefineCommand = (program, done) => {
  const command = program
    .command('verify')
    .description('Check the signature of a message {method, url, headers, body}, and say which check failed.')
    .argument('<file>', 'the message as JSON, or - for stdin')
    .requiredOption('--jwks <file>', 'the public keys of the signer, a JWK set')
    .option('--at <s>', 'verify as of this moment, Unix seconds', wholeNumber(0, 1e12))
    .addOption(new Option('--kind <kind>', 'what the message is').choices(MESSAGE_KINDS).default('request'))
    .addOption(
      new Option('--profile <line>', 'how bytes are written: 3.1 base64url, 3.2 base64')
        .choices(SIGNING_PROFILES)
        .default('3.2'),
    )
    .addOption(
      new Option('--digest <rule>', 'whether a request has to cover its body')
        .choices(DIGEST_RULES)
        .default('required'),
    )
    .option('--revoked <file>', 'keys that no longer count: {"revoked_kids": […]}, or a kid on each line')
    .option('--store <address>', 'remember the message there, sqlite:PATH, and refuse it the second time');
  withJson(command);
  examples(
    command,
    'registry verify signed.json --jwks jwks.json',
    'registry verify signed.json --jwks jwks.json --kind webhook --store sqlite:nonces.sqlite --json',
  );
  command.action(async (file: string, flags: VerifyFlags) => {
    const { verifyCommand } = await import('../run/verify.ts');
    done(await verifyCommand(file, flags));
  });
};
