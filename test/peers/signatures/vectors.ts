import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isObject } from '../../../src/base/json.ts';
import { fixedKeys } from '../../../src/signing/key-source.ts';
import type { DigestRule } from '../../../src/signing/profile.ts';
import { verifyMessage } from '../../../src/signing/verify.ts';

/** What our verifier makes of one of the vectors that the field's packages bring. */
interface JudgedVector {
  readonly vector: string;
  /** `verified`, or a code. */
  readonly wanted: string;
  readonly got: string;
  /** Why another answer is right. */
  readonly why?: string;
}

/** Where the packages have them, by their line. */
const PLACES = {
  '3.0.6': '../node_modules/@adcp/sdk/compliance/cache/3.0.6/test-vectors',
  '3.2.4': '../.venv/*/python*/site-packages/adcp/_compliance/3.2.4/test-vectors',
} as const;
const FOLDERS = '{request,webhook}-signing/{,profile-3.2/}{positive,negative}/*.json';

const EXPLAINED: Readonly<Record<string, string>> = {
  '3.0.6 webhook 008-wrong-adcp-use': 'the vectors of 3.2.4 let request keys sign webhooks',
  '3.2.4 request 026-non-ascii-host':
    'those of 3.0.6 have our code for this writing, and this one under profile-3.2',
};

/** Judges all of them, but those on which task a message calls: that is for agents. */
export async function judgedVectors(): Promise<readonly JudgedVector[]> {
  const judged: JudgedVector[] = [];
  for (const [line, place] of Object.entries(PLACES))
    for (const file of globSync(join(place, FOLDERS), { cwd: import.meta.dirname }).sort())
      judged.push(await judgeVector(line, join(import.meta.dirname, file)));
  if (judged.length < 100) throw new Error(`the packages bring ${judged.length} vectors only`);
  return judged;
}

// biome-ignore lint/suspicious/noExplicitAny: files of strangers
type Any = any;
const read = (file: string): Any => JSON.parse(readFileSync(file, 'utf8'));

async function judgeVector(line: string, file: string): Promise<JudgedVector> {
  const { request, reference_now: now, expected_outcome: expected, ...vector } = read(file);
  const isNew = file.includes('profile-3.2');
  const folder = dirname(dirname(isNew ? dirname(file) : file));
  const kind = basename(folder) === 'webhook-signing' ? 'webhook' : 'request';
  const state = vector.test_harness_state ?? {};
  const keys = publishedKeys(folder, vector);
  const name = basename(file, '.json');
  const revoked = name.includes('key-revoked') ? keys.map(({ kid }) => [kid, 0] as const) : [];
  const verdict = await verifyMessage(
    { ...request, headers: Object.entries(request.headers), body: Buffer.from(request.body ?? '') },
    {
      kind,
      now,
      keys: fixedKeys(keys),
      profile: isNew ? '3.2' : 'declared',
      digest: (vector.verifier_capability?.covers_content_digest ?? 'required') as DigestRule,
      revoked: {
        kids: new Map(revoked),
        ...(state.revocation_list_stale_seconds && { nextUpdate: now - state.revocation_list_stale_seconds }),
      },
      replays: {
        isFull: async () => Object.keys(state).some((key) => key.includes('per_keyid_cap')),
        remember: async () => !name.includes('replayed'),
      },
    },
  );
  const why = EXPLAINED[`${line} ${kind} ${name}`];
  return {
    vector: `${line} ${kind}${isNew ? ' 3.2' : ''} ${name}`,
    wanted: expected.success ? 'verified' : expected.error_code,
    got: verdict.verified ? 'verified' : verdict.code,
    ...(why !== undefined && !isNew && { why }),
  };
}

/** The keys that a vector names, as it changes them, without what only a signer may have. */
function publishedKeys(folder: string, vector: Any): readonly Any[] {
  const { keys } = read(join(folder, 'keys.json'));
  const override: Any = isObject(vector.jwks_override) ? vector.jwks_override : {};
  if (Array.isArray(override.keys)) return override.keys;
  const changed = Object.values(override);
  const named: readonly string[] = vector.jwks_ref ?? [];
  return named.flatMap((kid) => {
    const jwk = [...changed, ...keys].find((one: Any) => one.kid === kid);
    const { _private_d_for_test_only: _private, ...published } = jwk ?? {};
    return jwk === undefined ? [] : [published];
  });
}
