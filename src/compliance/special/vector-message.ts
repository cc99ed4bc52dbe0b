import { isObject, type JsonObject, member } from '../../base/json.ts';
import { contentDigest, digestFault } from '../../signing/covered.ts';
import { type HttpRequest, signatureBase } from '../../signing/message.ts';
import { readSigningKey, type SigningKey } from '../../signing/private-key.ts';
import { encodeBytes } from '../../signing/structured-fields.ts';
import type { SignedVector } from '../storyboard.ts';
import { vectorCode, vectorHeaders } from './signed-vectors.ts';

/**
 * The message: its header is the vector's with the times moved to now, a fresh nonce, and a signature over what is really
 * sent. What is wrong in the vector stays wrong.
 *
 * @param now epoch seconds
 */
export async function vectorMessage(
  { task, arguments: payload, document: { document, keys } }: SignedVector,
  {
    url,
    now,
    nonce,
    policy,
  }: { readonly url: string; readonly now: number; readonly nonce: string; readonly policy: unknown },
): Promise<HttpRequest> {
  const call = {
    jsonrpc: '2.0',
    id: nonce,
    method: 'tools/call',
    params: { name: task, arguments: payload },
  };
  const body = new TextEncoder().encode(JSON.stringify(call));
  const given = vectorHeaders(document);
  const shift = now - Number(document.reference_now);
  let input = (given.get('signature-input') ?? '')
    .replaceAll(/\b(created|expires)=(\d{1,12})/g, (_, name, at) => `${name}=${Number(at) + shift}`)
    .replaceAll(/;nonce="[^"]*"/g, `;nonce="${nonce}"`);
  const addDigest =
    policy === 'required' && member(document.verifier_capability, 'covers_content_digest') === 'either';
  if (addDigest && !input.includes('"content-digest"')) input = input.replace(/\)/, ' "content-digest")');
  const digest = digestOf(document, body, input.includes('"content-digest"') && addDigest);
  const target = new URL(url);
  target.search ||= new URL(String(member(document.request, 'url'))).search;
  const bare: HttpRequest = {
    method: 'POST',
    url: target.href,
    headers: [
      ['content-type', given.get('content-type') ?? 'application/json'],
      ['accept', 'application/json, text/event-stream'],
      ...(digest === undefined ? [] : [['content-digest', digest] as const]),
    ],
    body,
  };
  const written = given.get('signature');
  if (written === undefined) return bare;
  const signature = await signed(bare, input, written, document, keys);
  const named = given.has('signature-input') ? [['signature-input', input] as const] : [];
  return { ...bare, headers: [...bare.headers, ...named, ['signature', signature]] };
}

/** One that is right for the vector's own body is made for this one; one that is wrong stays. */
function digestOf(document: JsonObject, body: Uint8Array, isAdded: boolean): string | undefined {
  const own = vectorHeaders(document).get('content-digest');
  if (own === undefined) return isAdded ? contentDigest(body, 'base64') : undefined;
  const text = new TextEncoder().encode(String(member(document.request, 'body') ?? ''));
  return digestFault(own, text) === undefined ? contentDigest(body, 'base64') : own;
}

// the first label; anchored, and one way to go on at each mark
const SIG1 = /^sig1=(\(([^)]*)\)(?:;[\w-]+(?:="[^"]*"|=[^,;"\s]*)?)*)/;

async function signed(
  message: HttpRequest,
  input: string,
  written: string,
  document: JsonObject,
  keys: readonly unknown[],
): Promise<string> {
  const [, params, list] = SIG1.exec(input) ?? [];
  if (params === undefined || list === undefined) return written;
  const keyid = /;keyid="?([^";,]+)/.exec(params)?.[1];
  const jwk = privateKeyOf(keys, keyid);
  const base = signatureBase(
    message,
    [...list.matchAll(/"([^"]+)"/g)].map((one) => one[1] ?? ''),
    params,
  );
  if (jwk === undefined || base === undefined) return written;
  const bytes = await (await signerOf(jwk)).sign(new TextEncoder().encode(base));
  if (vectorCode(document) === 'request_signature_invalid') bytes[0] = (bytes[0] ?? 0) ^ 0xff;
  const alphabet = /[+/=]:/.test(written) ? 'base64' : 'base64url';
  return written.replace(/sig1=:[^:]*:/, `sig1=${encodeBytes(bytes, alphabet)}`);
}

/** The named one; for a name that nobody has, any: what counts is that the name is unknown. */
function privateKeyOf(keys: readonly unknown[], keyid: string | undefined): JsonObject | undefined {
  const all = keys.filter(isObject).filter((one) => typeof one._private_d_for_test_only === 'string');
  return all.find(({ kid }) => kid === keyid) ?? all[0];
}

// The keys belong to the bundle, so that they are there as long as it is.
const signers = new WeakMap<JsonObject, Promise<SigningKey>>();

function signerOf(jwk: JsonObject): Promise<SigningKey> {
  const known =
    signers.get(jwk) ?? readSigningKey({ ...jwk, d: jwk._private_d_for_test_only, key_ops: ['sign'] });
  signers.set(jwk, known);
  return known;
}
