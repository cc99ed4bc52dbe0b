import { isObject } from '../../../base/json.ts';
import { RegistryError } from '../../../errors.ts';
import type { Content } from '../../../trusted-match/client.ts';
import type { IdentityRequest } from '../../../trusted-match/messages.ts';
import { command } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { requiredFlag } from '../../flags.ts';
import { readTextFile } from '../../input/arguments.ts';
import { listTable, printJson, printLine } from '../../output/print.ts';
import { JSON_FLAG } from '../../shared-flags.ts';

/** 0 with packages to show or without, 1 when the provider refuses. */
export default command({
  name: 'try',
  description: 'Send both requests as a publisher would, join the answers locally, and print the packages.',
  flags: {
    context: requiredFlag('--context <file>', 'file with a context match request; it gets a new request id'),
    identity: requiredFlag(
      '--identity <file>',
      'file with an identity match request; it gets a new request id',
    ),
    provider: requiredFlag('--provider <url>', 'origin of the provider'),
    ...JSON_FLAG,
  },
  examples: [
    'agent-registry match try --context context.json --identity identity.json --provider http://127.0.0.1:8090',
  ],
  async run(flags) {
    const { createMatchClient, MatchClientError } = await import('../../../trusted-match/client.ts');
    const { request_id: _first, ...content } = await readObject<Content & { request_id?: string }>(
      flags.context,
    );
    const { token, package_ids } = await readObject<IdentityRequest>(flags.identity);
    const client = createMatchClient({
      fetch: globalThis.fetch,
      contextOrigin: originOf(flags.provider),
      packageIds: package_ids,
      timeoutMs: 5_000,
    });
    try {
      const activations = await client.match(content, token);
      if (flags.json) printJson({ activations });
      else if (activations.length === 0) printLine('no matching packages: none is both offered and eligible');
      else {
        const rows = activations.map(({ package_id, score }) => [String(score), package_id]);
        for (const line of listTable(['score', 'package'], rows)) printLine(line);
      }
      return EXIT.ok;
    } catch (error) {
      if (!(error instanceof MatchClientError)) throw error;
      throw new RegistryError('input_invalid', error.message, {
        hint: error.retryable
          ? 'check that `agent-registry match serve` is running at --provider; it prints its address'
          : 'see the schemas in schemas/trusted-match; --provider is the origin of `agent-registry match serve`',
        retryable: error.retryable,
        cause: error,
      });
    }
  },
});

function originOf(provider: string): string {
  const url = URL.parse(provider);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.origin;
  throw new RegistryError('usage', `--provider: ${provider} is not a URL`, {
    hint: 'write an origin such as http://127.0.0.1:8090',
  });
}

/** As it stands: the provider says what is wrong with a request. */
async function readObject<T>(file: string): Promise<T> {
  const text = await readTextFile(file, file);
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value as T;
  } catch (cause) {
    throw new RegistryError('input_invalid', `${file} is not valid JSON`, {
      cause,
      hint: 'write one request as JSON',
    });
  }
  throw new RegistryError('input_invalid', `${file} is not a JSON object`, {
    hint: 'write one request as JSON',
  });
}
