/** A request with its name, as it goes over the wire. */
export interface WorstRequest {
  readonly name: string;
  readonly text: string;
}

const LIST = '/api/registry/agents';
const SWITCHES = 'health=true&capabilities=true&properties=true&compliance=true';
const AGENT = encodeURIComponent('https://agent-00000001.vendor1.example/mcp');
const COMPLIANCE = `${LIST}/${AGENT}/compliance`;
/** What a header has room for, characters. */
const ROOM = 30_000;

/** The 20 requests of one stranger that cost most, as far as they are known; who finds a worse one adds it here. */
export const WORST_REQUESTS: readonly WorstRequest[] = [
  get('a whole list that nobody asked for yet', `${LIST}?${SWITCHES}&limit={limit}&q=v`),
  get('the whole list with everything', `${LIST}?${SWITCHES}&total=true&q=v`),
  get('a text that is nearly nowhere', `${LIST}?q=${'a'.repeat(50)}{n}&total=true`),
  get('twenty values for each filter', `${LIST}?${values('metric_id')}&${values('accreditation')}&q={n}`),
  get('a forged cursor', `${LIST}?cursor=${'A'.repeat(20_000)}{n}`),
  get('a query of one long text', `${LIST}?q=${'%F0%9F%98%80'.repeat(2_400)}`),
  get('a query of many parameters', `${LIST}?${'a=1&'.repeat(ROOM / 4)}`),
  get('a key that is wrong', LIST, `Authorization: Bearer reg_${'a'.repeat(16)}_${'b'.repeat(400)}\r\n`),
  get('blanks within a key', LIST, `Authorization: Bearer${' '.repeat(ROOM)}x\r\n`),
  get('many entity tags', LIST, `If-None-Match: ${'"a", '.repeat(ROOM / 5)}"b"\r\n`),
  get('many encodings', LIST, `Accept-Encoding: ${'gzip;q=0.1, '.repeat(ROOM / 12)}br\r\n`),
  get('many header lines', LIST, 'x: y\r\n'.repeat(1_900)),
  get('a path of many segments', `/${'a/'.repeat(ROOM / 2)}`),
  get('a path of dots', `/schemas/${'..%2f'.repeat(ROOM / 5)}x`),
  get(
    'an address as long as can be',
    `${LIST}/${encodeURIComponent(`https://a.example/${'ä'.repeat(1_900)}`)}/compliance`,
  ),
  get('the document of the operations', '/openapi.json', 'Accept-Encoding: br\r\n'),
  post('blanks within a signature', `Signature: a${' '.repeat(ROOM)}b\r\nSignature-Input: x\r\n`, '{}'),
  post(
    'a signature of many parts',
    `Signature: sig1=:AAAA:\r\nSignature-Input: sig1=()${';a'.repeat(4_000)}\r\n`,
    '{}',
  ),
  post('a signature by nobody', `Signature: sig1=:AAAA:\r\nSignature-Input: ${signatureInput()}\r\n`, '{}'),
  post('a body of nothing but brackets', '', '['.repeat(8_000)),
];

function get(name: string, path: string, headers = ''): WorstRequest {
  return { name, text: `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${headers}\r\n` };
}

function post(name: string, headers: string, body: string): WorstRequest {
  const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const head = `POST ${COMPLIANCE}/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n`;
  return { name, text: `${head}${type}${headers}\r\n${body}` };
}

function values(parameter: string): string {
  return Array.from({ length: 20 }, (_, n) => `${parameter}=reach.v${n}`).join('&');
}

function signatureInput(): string {
  const covered = '("@method" "@target-uri" "@authority" "content-type" "content-digest")';
  const now = Math.floor(Date.now() / 1_000);
  const times = `created=${now};expires=${now + 290}`;
  return `sig1=${covered};${times};nonce="${'A'.repeat(22)}";keyid="k";alg="ed25519";tag="proto/request-signing/v1"`;
}
