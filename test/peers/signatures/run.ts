/**
 * Signs with each package of the field and verifies with ours, and the other way round, in all profiles, then compares
 * the codes of refusals: `npm run test:peers:signatures`. Exit code 1 when a row is not as it should be.
 */
import { join } from 'node:path';
import type { HttpRequest } from '../../../src/signing/message.ts';
import type {
  MessageKind,
  ProfileRule,
  SignatureAlgorithm,
  SigningProfile,
} from '../../../src/signing/profile.ts';
import { SIGNING_PROFILES } from '../../../src/signing/profile.ts';
import type { Jwk } from '../../../src/signing/public-key.ts';
import { buy, makeKey, NOW, replayMemory, sign, type TestKey, verify } from '../../signing/support.ts';
import { installPeers, PYTHON } from '../install.ts';
import { startPeer } from '../peer.ts';
import { CHANGES, type Change } from './changes.ts';
import { judgedVectors } from './vectors.ts';

interface Order {
  readonly do: 'sign' | 'verify';
  readonly kind: MessageKind;
  readonly profile?: SigningProfile;
  readonly key?: Jwk;
  readonly keys?: readonly Jwk[];
  readonly revoked?: readonly string[];
  readonly times?: number;
  readonly now: number;
  readonly message: object;
}
interface Answer {
  readonly ok: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly code?: string;
  readonly error?: string;
}
type Asked = Pick<Order, 'kind' | 'profile' | 'keys'> & Partial<Pick<Order, 'revoked' | 'times' | 'now'>>;

installPeers((line) => void process.stderr.write(`${line}\n`));
const peers = {
  javascript: startPeer<Order, Answer>(process.execPath, [join(import.meta.dirname, 'javascript.mjs')]),
  python: startPeer<Order, Answer>(PYTHON, [join(import.meta.dirname, 'python.py')]),
};
type PeerName = keyof typeof peers;
const NAMES = Object.keys(peers) as PeerName[];
let wrong = 0;
let rows = 0;

function row(isRight: boolean, ...cells: readonly string[]): void {
  rows += 1;
  if (!isRight) wrong += 1;
  const [first = '', second = '', ...rest] = cells;
  process.stdout.write(
    `${isRight ? 'ok ' : 'NO '} ${first.padEnd(24)} ${second.padEnd(44)} ${rest.join(' ')}\n`,
  );
}

const plain = ({ method, url, headers, body }: HttpRequest) => ({
  method,
  url,
  headers: Object.fromEntries(headers),
  body: new TextDecoder().decode(body),
});

async function theirs(name: PeerName, message: HttpRequest, asked: Asked): Promise<string> {
  const order: Order = { do: 'verify', now: NOW, revoked: [], times: 1, message: plain(message), ...asked };
  const { ok, ...answer } = (await peers[name].call(order)) as Answer;
  return ok ? 'verified' : (answer.code ?? answer.error ?? 'nothing');
}

async function ours(message: HttpRequest, asked: Asked, profile: ProfileRule = 'declared'): Promise<string> {
  const { kind, keys = [], now = NOW, revoked = [], times = 1 } = asked;
  const kids = new Map(revoked.map((kid) => [kid, Number.NEGATIVE_INFINITY] as const));
  const replays = replayMemory();
  let verdict = '';
  for (let time = 0; time < times; time += 1) {
    const judged = await verify(message, keys, { kind, profile, now, revoked: { kids }, replays });
    verdict = judged.verified ? 'verified' : judged.code;
  }
  await replays.close();
  return verdict;
}

/** JavaScript's package knows the writing of 3.0 alone, and webhooks have one writing on all lines. */
const signs = (name: PeerName, kind: MessageKind, profile: SigningProfile) =>
  profile === '3.0' || (name === 'python' && kind === 'request');

async function crossed(kind: MessageKind, alg: SignatureAlgorithm, key: TestKey, about = ''): Promise<void> {
  const keys = [key.public];
  for (const name of NAMES)
    for (const profile of SIGNING_PROFILES.filter((one) => signs(name, kind, one))) {
      const order: Order = { do: 'sign', kind, profile, key: key.private, now: NOW, message: plain(buy) };
      const { headers = {}, error = '' } = (await peers[name].call(order)) as Answer;
      const message = { ...buy, headers: Object.entries(headers) };
      const fixed = await ours(message, { kind, keys }, profile);
      const declared = await ours(message, { kind, keys });
      const isRight = fixed === 'verified' && declared === 'verified';
      row(
        isRight,
        `${name} -> ours`,
        `${kind} ${profile} ${alg}${about}`,
        `${fixed}, as declared ${declared}`,
        error,
      );
    }
  if (about !== '') return;
  for (const name of NAMES)
    for (const profile of SIGNING_PROFILES) {
      const message = await sign(key, { kind, profile });
      const verdict = await theirs(name, message, { kind, profile, keys });
      row(verdict === 'verified', `ours -> ${name}`, `${kind} ${profile} ${alg}`, verdict);
      if (profile !== '3.2') continue;
      const older = await theirs(name, message, { kind, profile: '3.0', keys }); // what we write by default
      row(older === 'verified', `ours -> ${name}`, `${kind} ${profile} ${alg} read as 3.0`, older);
    }
}

async function refused(change: Change, profile: SigningProfile, key: TestKey): Promise<void> {
  const { name, make, later = 0, keys, revoked, times = 1, code, why } = change;
  const signed = await sign(key, { profile });
  const published =
    keys === 'none'
      ? []
      : [keys === undefined ? key.public : { ...key.public, adcp_use: 'governance-signing' }];
  const asked: Asked = {
    kind: 'request',
    profile,
    keys: published,
    now: NOW + later,
    revoked: revoked ? ['k1'] : [],
    times,
  };
  const message = make?.(signed) ?? signed;
  const own = await ours(message, asked, profile);
  const answers = await Promise.all(NAMES.map((peer) => theirs(peer, message, asked)));
  const wanted = NAMES.map((peer) => change[peer] ?? `request_${code}`);
  const isRight = own === `request_${code}` && answers.every((answer, place) => answer === wanted[place]);
  const others = NAMES.flatMap((peer, place) =>
    answers[place] === own ? [] : [`${peer}: ${answers[place]}`],
  );
  row(
    isRight,
    `refusal, ${profile}`,
    name,
    own,
    others.length === 0 ? '' : `(${others.join(', ')}; ${why ?? '?'})`,
  );
}

for (const alg of ['ed25519', 'ecdsa-p256-sha256'] as const) {
  const request = await makeKey('k1', 'request-signing', alg, 'adcp');
  await crossed('request', alg, request);
  await crossed('webhook', alg, await makeKey('w1', 'webhook-signing', alg, 'adcp'));
  await crossed('webhook', alg, request, ' by the request key');
}
const key = await makeKey('k1', 'request-signing', 'ed25519', 'adcp');
for (const profile of ['3.0', '3.2'] as const)
  for (const change of CHANGES)
    if ((change.profile ?? profile) === profile) await refused(change, profile, key);
for (const { vector, wanted, got, why } of await judgedVectors())
  row(
    wanted === got || why !== undefined,
    'vector',
    vector,
    got,
    wanted === got ? '' : `(it says ${wanted}; ${why ?? '?'})`,
  );
await Promise.all(NAMES.map((name) => peers[name].close()));
process.stdout.write(`${rows} rows: ${rows - wrong} right, ${wrong} not\n`);
process.exit(wrong === 0 ? 0 : 1);
