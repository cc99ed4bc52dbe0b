import { componentValue, type HttpRequest, hasBody, isComponent } from './message.ts';
import {
  CLOCK_SKEW,
  type DigestRule,
  isAlgorithm,
  MAX_LIFETIME,
  type MessageKind,
  MIN_NONCE_BYTES,
  refuseSignature,
  type SignatureAlgorithm,
  type SignatureRefusal,
  TAG_VOCABULARIES,
  tagOf,
  type ValueOrRefusal,
} from './profile.ts';
import type { SignatureFields, SignatureParameters } from './signature-fields.ts';
import { decodeBytes } from './structured-fields.ts';

/** A signature with all its parameters, whose window is open and that covers what it has to. */
export interface CompleteSignature extends Required<SignatureParameters> {
  readonly alg: SignatureAlgorithm;
  readonly fields: SignatureFields;
}

interface Demands {
  readonly kind: MessageKind;
  /** Epoch seconds. */
  readonly now: number;
  readonly digest?: DigestRule;
}

/** The checks that need no key: parameters, tag, algorithm, window, components. */
export function completeSignature(
  message: HttpRequest,
  fields: SignatureFields,
  demands: Demands,
): ValueOrRefusal<CompleteSignature> {
  const { created, expires, nonce, keyid, alg, tag } = fields.parameters;
  const absent = Object.entries({ created, expires, nonce, keyid, alg, tag }).find(
    ([, value]) => value === undefined,
  );
  if (absent !== undefined) return incomplete(`the parameter ${absent[0]} is missing`);
  const parameters = { ...fields.parameters } as Required<SignatureParameters>;
  if (!isNonce(parameters.nonce))
    return incomplete(`the nonce is not unpadded base64url of at least ${MIN_NONCE_BYTES} bytes`);
  if (!TAG_VOCABULARIES.some((vocabulary) => tagOf(vocabulary, demands.kind) === parameters.tag))
    return {
      refusal: refuseSignature(
        'tag',
        'signature_tag_invalid',
        `the tag is not ${tagOf('proto', demands.kind)}`,
      ),
    };
  if (!isAlgorithm(parameters.alg))
    return {
      refusal: refuseSignature(
        'algorithm',
        'signature_alg_not_allowed',
        'alg is neither ed25519 nor ecdsa-p256-sha256',
      ),
    };
  const refusal = windowFault(parameters, demands.now) ?? componentsFault(message, fields, demands);
  return refusal === undefined ? { value: { ...parameters, alg: parameters.alg, fields } } : { refusal };
}

function incomplete(detail: string): { readonly refusal: SignatureRefusal } {
  return { refusal: refuseSignature('parameters', 'signature_params_incomplete', detail) };
}

function isNonce(nonce: string): boolean {
  return (decodeBytes(nonce, 'base64url')?.length ?? 0) >= MIN_NONCE_BYTES;
}

function windowFault(
  { created, expires }: Required<SignatureParameters>,
  now: number,
): SignatureRefusal | undefined {
  const invalid = (detail: string) => refuseSignature('window', 'signature_window_invalid', detail);
  if (expires <= created) return invalid('expires is not after created');
  if (expires - created > MAX_LIFETIME)
    return invalid(`expires is more than ${MAX_LIFETIME} s after created`);
  if (created > now + CLOCK_SKEW) return invalid('created is in the future');
  return expires < now - CLOCK_SKEW ? invalid('the signature has expired') : undefined;
}

/** What a signature has to cover, and what it must not. */
function componentsFault(
  message: HttpRequest,
  { components, parameterised }: SignatureFields,
  demands: Demands,
): SignatureRefusal | undefined {
  const unexpected = (detail: string) =>
    refuseSignature('components', 'signature_components_unexpected', detail);
  const lacking = (detail: string) =>
    refuseSignature('components', 'signature_components_incomplete', detail);
  const missing = requiredComponents(message, demands).find((name) => !components.includes(name));
  if (missing !== undefined) return lacking(`${missing} is not covered`);
  if (parameterised) return unexpected('a component has parameters');
  const unknown = components.find((name) => !isComponent(name));
  if (unknown !== undefined) return unexpected(`unknown component ${JSON.stringify(unknown.slice(0, 100))}`);
  if (demands.kind === 'request' && demands.digest === 'forbidden' && components.includes('content-digest'))
    return unexpected('content-digest is covered, which this receiver does not allow');
  const absent = components.find((name) => componentValue(message, name) === undefined);
  return absent === undefined ? undefined : lacking(`${absent} is covered but missing from the message`);
}

/** The components that a message of this kind has to cover. */
export function requiredComponents(
  message: Pick<HttpRequest, 'body'>,
  { kind, digest = 'required' }: Pick<Demands, 'kind' | 'digest'>,
): readonly string[] {
  const always = ['@method', '@target-uri', '@authority'];
  if (kind === 'webhook') return [...always, 'content-type', 'content-digest'];
  if (!hasBody(message)) return always;
  return [...always, 'content-type', ...(digest === 'required' ? ['content-digest'] : [])];
}
