import { type InnerList, parseDictionary, serializeInnerList } from 'structured-headers';
import { type HttpMessage, headerLines, isFieldValue, isOverlong } from './message.ts';
import {
  type ProfileRule,
  profileFor,
  refuseSignature,
  type SignatureRefusal,
  type SigningProfile,
  type ValueOrRefusal,
  WRITING,
} from './profile.ts';
import { decodeBytes, splitDictionary, splitOutside } from './structured-fields.ts';

/** The one signature of a message that is judged, as its two headers say it. */
export interface SignatureFields {
  /** Names of what is covered, in order. */
  readonly components: readonly string[];
  /** True when a component has parameters (`;sf`, `;key`, …), which no profile of ours knows. */
  readonly parameterised: boolean;
  /** The value of `@signature-params` (RFC 9421, section 2.3). */
  readonly params: string;
  readonly parameters: SignatureParameters;
  readonly signature: Uint8Array;
  /** As it was written, without its colons. */
  readonly signatureText: string;
  /** The one that it is judged by. */
  readonly profile: SigningProfile;
}

/** Epoch seconds. What was not given is absent. */
export interface SignatureParameters {
  readonly created?: number;
  readonly expires?: number;
  readonly nonce?: string;
  readonly keyid?: string;
  readonly alg?: string;
  readonly tag?: string;
}

const INTEGERS: ReadonlySet<string> = new Set(['created', 'expires']);
const STRINGS: ReadonlySet<string> = new Set(['nonce', 'keyid', 'alg', 'tag']);
/** Of each of the two fields, characters. */
const MAX_FIELD = 8_192;
/** What a signature covers; each is looked for in all lines of the header. */
const MAX_COMPONENTS = 64;
/** The one that the public protocol looks for, by its name and never by its place. */
const LABEL = 'sig1';

/**
 * Reads `Signature-Input` and `Signature` (RFC 9421, section 4). The label `sig1` is judged; whatever other
 * labels say is left alone. Refuses what the two fields must not be: one without the other, a label
 * or a parameter twice, numbers or tokens where a string belongs, bytes in another writing than
 * that of the profile. What is larger
 * than any signature is refused before it is read.
 */
export function readSignatureFields(
  message: Pick<HttpMessage, 'headers'>,
  rule: ProfileRule,
): ValueOrRefusal<SignatureFields> {
  if (isOverlong(message)) return malformed('the headers of the message are too large');
  const inputs = headerLines(message, 'signature-input');
  const signatures = headerLines(message, 'signature');
  if (inputs.length === 0 && signatures.length === 0)
    return { refusal: refuseSignature('parse', 'signature_required', 'the message has no signature') };
  if (inputs.length === 0) return malformed('the Signature-Input header is missing');
  if (signatures.length === 0) return malformed('the Signature header is missing');
  const input = inputs.join(', ');
  const signature = signatures.join(', ');
  if (input.length > MAX_FIELD || signature.length > MAX_FIELD)
    return malformed(`Signature-Input and Signature have at most ${MAX_FIELD} characters each`);
  if (!isFieldValue(input) || !isFieldValue(signature))
    return malformed('Signature-Input or Signature has characters that are not ASCII text');
  return readPair(input, signature, rule);
}

function readPair(input: string, signature: string, rule: ProfileRule): ValueOrRefusal<SignatureFields> {
  const inputs = splitDictionary(input);
  if (inputs === undefined) return malformed('Signature-Input is not a dictionary with unique labels');
  const signatures = splitDictionary(signature);
  if (signatures === undefined) return malformed('Signature is not a dictionary with unique labels');
  const [, text] = /^:([A-Za-z0-9+/_=-]*):$/.exec(signatures.get(LABEL) ?? '') ?? [];
  if (text === undefined) return malformed(`Signature has no byte sequence under the label ${LABEL}`);
  const read = readInput(inputs.get(LABEL));
  if ('refusal' in read) return read;
  const profile = profileFor(rule, read.value.parameters.tag, text);
  const bytes = decodeBytes(text, WRITING[profile].signature);
  if (bytes === undefined)
    return malformed(
      `the signature is not encoded as ${WRITING[profile].signature}, which profile ${profile} requires`,
    );
  return { value: { ...read.value, signature: bytes, signatureText: text, profile } };
}

type Input = Omit<SignatureFields, 'signature' | 'signatureText' | 'profile'>;

function readInput(text = ''): ValueOrRefusal<Input> {
  const list = innerList(text);
  if (list === undefined) return malformed(`Signature-Input has no component list under the label ${LABEL}`);
  const names = list[0].map(([name]) => name);
  if (!names.every((name) => typeof name === 'string'))
    return malformed('a component is not a quoted string');
  if (names.some((name) => name !== name.toLowerCase())) return malformed('a component is not in lower case');
  if (names.length > MAX_COMPONENTS)
    return malformed(`a signature covers at most ${MAX_COMPONENTS} components`);
  if (new Set(names).size !== names.length) return malformed('a component is covered twice');
  const fault = parameterFault(text);
  if (fault !== undefined) return malformed(fault);
  const value: Input = {
    components: names,
    parameterised: list[0].some(([, parameters]) => parameters.size > 0),
    params: serializeInnerList(list),
    parameters: Object.fromEntries(
      [...list[1]].filter(([name]) => INTEGERS.has(name) || STRINGS.has(name)),
    ) as SignatureParameters,
  };
  return { value };
}

function innerList(text: string): InnerList | undefined {
  try {
    const member = parseDictionary(`${LABEL}=${text}`).get(LABEL);
    return Array.isArray(member?.[0]) ? (member as InnerList) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What is wrong with how the parameters were written. The library reads `1.0` as the integer 1 and keeps the last
 * of two equal names, so the text itself is looked at.
 */
function parameterFault(text: string): string | undefined {
  const seen = new Set<string>();
  for (const part of splitOutside(text, ';')?.slice(1) ?? []) {
    const [, name = '', value = ''] = /^ *([^=]+)(?:=(.*))?$/s.exec(part) ?? [];
    if (seen.has(name)) return `duplicate parameter ${name}`;
    seen.add(name);
    if (INTEGERS.has(name) && !/^\d{1,15} *$/.test(value)) return `the parameter ${name} is not an integer`;
    if (STRINGS.has(name) && !value.startsWith('"')) return `the parameter ${name} is not a quoted string`;
  }
  return undefined;
}

function malformed(detail: string): { readonly refusal: SignatureRefusal } {
  return { refusal: refuseSignature('parse', 'signature_header_malformed', detail) };
}
